// SPDX-License-Identifier: Apache-2.0
// Any byte stream, cut two ways: the messages are the same and each is as long as it says. The
// first byte decides how the second reader cuts.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/error/check.hpp"
#include "wire/diameter/framer.hpp"

using namespace twinsite::wire::diameter;

namespace {

using Bytes = std::vector<std::uint8_t>;

struct Cut {
    std::vector<Bytes> messages;
    std::optional<Errc> fault;
    std::size_t left = 0;
};

void drain(Framer& framer, Cut& out) {
    while (const auto message = framer.next()) {
        BASE_CHECK(message->size() >= kHeaderBytes && message->size() % 4 == 0);
        BASE_CHECK(HeaderView(*message).length() == message->size());
        set_hop_by_hop(message->data(), 7);
        out.messages.emplace_back(message->begin(), message->end());
    }
}

Cut cut(std::span<const std::uint8_t> stream, std::size_t read_bytes) {
    Framer framer({.max_message_bytes = 8192, .initial_bytes = 4096, .max_buffer_bytes = 8192});
    Cut out;
    while (!stream.empty() && !framer.fault()) {
        const auto room = framer.prepare();
        const std::size_t part = std::min({room.size(), stream.size(), read_bytes});
        std::memcpy(room.data(), stream.data(), part);
        framer.commit(part);
        stream = stream.subspan(part);
        drain(framer, out);
    }
    out.fault = framer.fault();
    out.left = framer.buffered_bytes();
    BASE_CHECK(framer.rest().size() == out.left);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::span<const std::uint8_t> stream(data + 1, size - 1);
    const Cut whole = cut(stream, stream.size());
    const Cut parts = cut(stream, std::size_t{1} + data[0]);
    BASE_CHECK(whole.messages == parts.messages);
    BASE_CHECK(whole.fault == parts.fault);
    if (!whole.fault) BASE_CHECK(whole.left == parts.left);
    return 0;
}
