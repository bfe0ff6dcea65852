// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/show.hpp"

/// `twinsite gslb peers|simulate|apply ...`: the group of gslbs, and what would be.
namespace twinsite::cli {

struct SimulateWish {
    std::vector<std::string> down;  ///< Sites, services, or SERVICE/TARGET.
    std::vector<std::string> up;
    std::vector<std::string> drain;
    std::string name;  ///< Only this steered name; empty: all.
};

struct IntentWish {
    std::string folder;
    std::string reason;
    std::string author;   ///< Empty: the user who runs the command.
    std::string version;  ///< rollback: "EPOCH.SEQ"; empty: the one before.
    bool take_over = false;
    bool yes = false;  ///< Publish without a question.
};

ExitCode gslb_peers(const Settings& settings);
ExitCode gslb_zones(const Settings& settings);
ExitCode gslb_health(const Settings& settings);
ExitCode gslb_simulate(const Settings& settings, const SimulateWish& wish);
/// What `wish.folder` would change.
ExitCode gslb_diff(const Settings& settings, const IntentWish& wish);
ExitCode gslb_apply(const Settings& settings, const IntentWish& wish);
ExitCode gslb_rollback(const Settings& settings, const IntentWish& wish);
ExitCode gslb_versions(const Settings& settings);

}  // namespace twinsite::cli
