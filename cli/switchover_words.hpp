// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/switchover_commands.hpp"

namespace CLI {
class App;
}

namespace twinsite::cli {

/// Adds the commands for a twinsite-switchover to the option parser: status, hosts, why, run, mode,
/// pause, unpause, audit; and its options --server and --tls. `words` outlives the parser; `chosen`
/// gets the command that was named.
void add_switchover(
    CLI::App& app,
    SwitchoverWords& words,
    const Settings& settings,
    std::function<ExitCode()>& chosen
);

}  // namespace twinsite::cli
