// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/daemon/daemon.hpp"

namespace twinsite::cli::api {

using base::daemon::ExitCode;

/// What came of one call. `failure` is empty exactly when `exit` is exit_ok.
struct Answer {
    ExitCode exit = ExitCode::exit_ok;
    unsigned status = 0;  ///< 0: no answer at all.
    std::string body;     ///< As the daemon sent it.
    std::string failure;  ///< Lines for people, the last without '\n'.
};

/// A daemon's control API, reached through its Unix socket. Every call is a connection of its own
/// and blocks for at most `limit`.
class Daemon {
public:
    /// `name`: "gslb" or "slb", for messages.
    Daemon(std::string name, std::string socket, std::chrono::milliseconds limit)
        : name_(std::move(name)), socket_(std::move(socket)), limit_(limit) {}

    /// `target` is percent-encoded already; `body` is JSON or empty.
    Answer call(const std::string& method, const std::string& target, const std::string& body = {})
        const;

private:
    std::string name_;
    std::string socket_;
    std::chrono::milliseconds limit_;
};

/// The exit code that an HTTP status stands for (docs/operator/cli.md).
ExitCode exit_of_status(unsigned status);
/// A problem (RFC 9457) in lines for people: title, detail, then findings and candidates. Bodies
/// that are no problem are shown as they are, shortened.
std::string describe_problem(unsigned status, const std::string& body);

}  // namespace twinsite::cli::api
