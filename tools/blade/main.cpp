// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tools/blade/options.hpp"
#include "tools/blade/server.hpp"

int main(int argc, char** argv) {
    using namespace twinsite;
    int exit_code = 0;
    const auto options = tools::blade::read_options(argc, argv, exit_code);
    if (!options) return exit_code;
    tools::blade::Server server(*options);
    const auto at = server.listen();
    if (!at) {
        std::fprintf(
            stderr,
            "twinsite-blade: cannot listen on %s: %s\n",
            base::net::to_string(options->listen).c_str(),
            at.error().message().c_str()
        );
        return 1;
    }
    std::fprintf(stderr, "listening on %s\n", base::net::to_string(*at).c_str());
    server.run();
    std::printf("%s\n", server.stats().c_str());
    return 0;
}
