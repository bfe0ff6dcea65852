// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/api/daemon.hpp"
#include "cli/settings.hpp"

namespace twinsite::cli {

using base::daemon::ExitCode;

/// Makes text for people of a good answer's JSON; the lines end with '\n'.
using Render = std::string (*)(const std::string& body);

/// Prints an answer: the daemon's JSON byte for byte (also of a problem), or `render`'s text on
/// standard output and failures on standard error. Returns the exit code of the command.
ExitCode show(const Settings& settings, const api::Answer& answer, Render render);

/// The daemon `name` ("gslb" or "slb"): --socket, else `variable` of the environment, else
/// /run/twinsite/NAME.sock.
api::Daemon daemon(const Settings& settings, const std::string& name, const char* variable);

}  // namespace twinsite::cli
