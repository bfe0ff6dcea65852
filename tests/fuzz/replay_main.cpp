// SPDX-License-Identifier: Apache-2.0
// Feeds every file of a corpus folder to a fuzz harness once, then 20,000 seeded mutations of them,
// so that a decoder's corpus is an ordinary test.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> read_corpus(const std::filesystem::path& folder) {
    std::vector<Bytes> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream in(entry.path(), std::ios::binary);
        out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return out;
}

Bytes mutate(Bytes input, std::mt19937& random) {
    const auto pick = [&](std::size_t below) { return below == 0 ? 0 : random() % below; };
    for (auto changes = 1 + pick(4); changes > 0; --changes) {
        const auto byte = static_cast<std::uint8_t>(random());
        switch (pick(4)) {
            case 0:
                if (!input.empty()) input[pick(input.size())] = byte;
                break;
            case 1:
                input.resize(pick(input.size() + 1));
                break;
            case 2:
                input.insert(
                    input.begin() + static_cast<std::ptrdiff_t>(pick(input.size() + 1)), byte
                );
                break;
            default:
                if (!input.empty())
                    input[pick(input.size())] ^= static_cast<std::uint8_t>(1u << (byte % 8));
        }
    }
    return input;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]), 2;
    const auto corpus = read_corpus(argv[1]);
    if (corpus.empty()) return std::fprintf(stderr, "no inputs in %s\n", argv[1]), 1;
    for (const auto& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
    constexpr int kMutations = 20'000;
    std::mt19937 random(20'240'601);
    for (int i = 0; i < kMutations; ++i) {
        const auto input = mutate(corpus[random() % corpus.size()], random);
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%zu inputs and %d mutations replayed\n", corpus.size(), kMutations);
    return 0;
}
