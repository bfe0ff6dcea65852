// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/demo/commands.hpp"

namespace twinsite::cli::demo {

struct TrafficOptions {
    std::string site = "both";  ///< "east", "west" or "both": where the clients are
    int seconds = 0;            ///< 0: until a signal
    int rate = 100;             ///< requests per second of each client
};

/// `twinsite demo traffic`: one network element per site. Each finds the service by DNS at every
/// connect, charges sessions (CCR initial, update, termination) and tells every second what came
/// of it, and the length of every outage. exit_ok when all of them are served at the end.
ExitCode traffic(const Options& options, const TrafficOptions& wanted);

}  // namespace twinsite::cli::demo
