// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/show.hpp"

/// `twinsite slb ...`: each function is one command, prints its result and gives its exit code.
namespace twinsite::cli {

ExitCode slb_blades(const Settings& settings);
/// `address`: "IP:PORT".
ExitCode slb_add(const Settings& settings, const std::string& name, const std::string& address);
ExitCode slb_drain(const Settings& settings, const std::string& name);
ExitCode slb_activate(const Settings& settings, const std::string& name);
/// Without force the daemon refuses while sessions or requests are left on the blade.
ExitCode slb_remove(const Settings& settings, const std::string& name);
ExitCode slb_remove_by_force(const Settings& settings, const std::string& name);
ExitCode slb_stats(const Settings& settings);
ExitCode slb_status(const Settings& settings);
ExitCode slb_reload(const Settings& settings);

}  // namespace twinsite::cli
