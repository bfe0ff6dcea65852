// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tools/load/generator.hpp"
#include "tools/load/options.hpp"
#include "tools/load/report.hpp"

int main(int argc, char** argv) {
    using namespace twinsite::tools::load;
    constexpr int kFailed = 1;
    constexpr int kUnreachable = 3;
    int exit_code = 0;
    const auto options = read_options(argc, argv, exit_code);
    if (!options) return exit_code;
    Generator generator(*options);
    if (generator.run() == Generator::Outcome::unreachable) {
        std::fprintf(stderr, "twinsite-load: cannot connect: %s\n", generator.problem().c_str());
        return kUnreachable;
    }
    std::printf("%s\n", to_json(generator.counters(), generator.elapsed()).c_str());
    return is_clean(generator.counters()) ? 0 : kFailed;
}
