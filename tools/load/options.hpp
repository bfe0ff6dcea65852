// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"

namespace twinsite::tools::load {

struct Options {
    std::vector<base::net::Endpoint> targets;
    std::optional<base::text::IpAddress> bind;
    unsigned connections = 1;
    std::size_t window = 0;      ///< closed loop when not 0
    double rate_per_second = 0;  ///< open loop when not 0
    std::optional<std::uint32_t> sessions;
    std::optional<std::chrono::milliseconds> duration;
    std::uint32_t updates = 3;
    std::size_t open_sessions =
        0;  ///< open loop, over all connections; 0: half a second's requests
    std::string host_prefix = "ne";
    std::string realm = "access.example.net";
    std::string destination_realm = "example.net";
    std::chrono::milliseconds timeout{10'000};
    std::chrono::milliseconds watchdog{30'000};
    bool reconnect = false;
    bool progress = false;
};

/// Reads the command line. Without options to go on with, `exit_code` is set and the reason or the
/// help has been printed: 0 for help and version, 2 for bad usage.
std::optional<Options> read_options(int argc, char** argv, int& exit_code);

}  // namespace twinsite::tools::load
