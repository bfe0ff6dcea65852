// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/show.hpp"

/// `twinsite gslb ...`: each function is one command, prints its result and gives its exit code.
namespace twinsite::cli {

struct ExplainQuery {
    std::string name;
    std::string type = "A";
    std::string client;  ///< Empty: not told to the daemon.
    std::string subnet;  ///< Client subnet option (RFC 7871), "PREFIX/LENGTH" or empty.
};

struct OverrideWish {
    std::string service;
    std::string object;  ///< A target's name, or "site:NAME".
    std::string state;   ///< up, down, drain
    std::string reason;
    std::string author;  ///< Empty: the user who runs the command.
    std::string ttl;     ///< "1h"; empty: until cleared.
    bool force = false;  ///< Even when no healthy site would be left.
};

ExitCode gslb_explain(const Settings& settings, const ExplainQuery& query);
ExitCode gslb_override_set(const Settings& settings, const OverrideWish& wish);
/// Takes service, object and force from `wish`.
ExitCode gslb_override_clear(const Settings& settings, const OverrideWish& wish);
ExitCode gslb_override_list(const Settings& settings);
ExitCode gslb_stats(const Settings& settings);
ExitCode gslb_status(const Settings& settings);
ExitCode gslb_reload(const Settings& settings);

}  // namespace twinsite::cli
