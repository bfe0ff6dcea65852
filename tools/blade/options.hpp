// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/net/endpoint.hpp"

namespace twinsite::tools::blade {

struct Options {
    base::net::Endpoint listen;
    std::string host;
    std::string realm;
    bool strict = false;
    std::chrono::microseconds delay{0};
    std::uint32_t result_code = 2001;
    std::chrono::milliseconds watchdog{30'000};
    std::string stats_file;
};

/// Reads the command line. Without options to go on with, `exit_code` is set and the reason or the
/// help has been printed: 0 for help and version, 2 for bad usage.
std::optional<Options> read_options(int argc, char** argv, int& exit_code);

}  // namespace twinsite::tools::blade
