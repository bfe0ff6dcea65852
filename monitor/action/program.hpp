// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/error/result.hpp"

namespace twinsite::monitor::action {

/// A program to run: no shell, a clean environment, "/" as folder, nothing on standard input, no
/// descriptors of ours, a process group of its own.
struct ProgramCall {
    std::vector<std::string> arguments;  ///< The first is the program's absolute path.
    std::string user;                    ///< Empty: our own.
    std::chrono::milliseconds timeout{20'000};
    std::chrono::milliseconds grace{5'000};  ///< Between TERM and KILL.
};

struct ProgramOutcome {
    int rc = 0;          ///< Exit code; 128 + N after signal N; -1 when it could not be ended.
    std::string output;  ///< Standard output and error as they came, cut at 64 KiB.
    bool timed_out = false;
};

/// Runs it to its end, or TERMs its group after `timeout` and KILLs it after `grace`. An error
/// says that it was never started. Cancelling KILLs the group. What a program leaves running in
/// the background keeps running but loses its output.
boost::asio::awaitable<base::Result<ProgramOutcome>> run_program(ProgramCall call);

/// Whether such a user exists and we may act as it: words for what is wrong, or "". Looks the user
/// up and keeps what it found for `run_program`: to be called when the actions are loaded.
std::string find_user_problem(const std::string& user);

}  // namespace twinsite::monitor::action
