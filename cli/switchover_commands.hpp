// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/api/switchover.hpp"
#include "cli/show.hpp"

/// What is asked of a twinsite-switchover: each function is one command, prints its result and
/// gives its exit code.
namespace twinsite::cli {

/// The words of all commands as they were typed.
struct SwitchoverWords {
    api::SwitchoverPlace place;
    std::string site;
    std::string scenario;
    std::string mode;
    std::string reason;
    std::string until;  ///< "10m"
    std::string run;
    std::string step;
    std::string answer;
    std::string variant;
    std::vector<std::string> overrides;  ///< RULE=REASON
    bool watch = false;
    std::string watch_limit = "1h";
    std::uint64_t after = 0;
    unsigned limit = 50;
};

ExitCode switchover_status(const Settings& settings, const SwitchoverWords& words);
ExitCode switchover_hosts(const Settings& settings, const SwitchoverWords& words);
ExitCode switchover_why(const Settings& settings, const SwitchoverWords& words);
ExitCode switchover_mode(const Settings& settings, const SwitchoverWords& words);
ExitCode switchover_pause(const Settings& settings, const SwitchoverWords& words);
ExitCode switchover_unpause(const Settings& settings, const SwitchoverWords& words);
ExitCode switchover_audit_list(const Settings& settings, const SwitchoverWords& words);
/// exit_failed when the chain is broken.
ExitCode switchover_audit_verify(const Settings& settings, const SwitchoverWords& words);

ExitCode run_start(const Settings& settings, const SwitchoverWords& words);
ExitCode run_list(const Settings& settings, const SwitchoverWords& words);
ExitCode run_show(const Settings& settings, const SwitchoverWords& words);
/// Prints what changes until the run ends. exit_failed when it does not succeed, exit_timed_out
/// when it has not ended in time.
ExitCode run_watch(const Settings& settings, const SwitchoverWords& words);
/// `verb`: pause, resume, abort, retry, skip or answer.
ExitCode run_order(const Settings& settings, const SwitchoverWords& words, const char* verb);

}  // namespace twinsite::cli
