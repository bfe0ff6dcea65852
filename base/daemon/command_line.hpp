// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/daemon/daemon.hpp"
#include "base/log/log.hpp"

namespace twinsite::base::daemon {

/// What the command line asked for.
struct Command {
    enum class Action : unsigned char {
        serve,
        check,
        leave,  ///< Help, version or a mistake: `output` is all there is to do.
    };
    Action action = Action::leave;
    std::string file;
    log::Format log_format = log::Format::text;
    log::Level log_level = log::Level::info;
    int exit_code = exit_ok;
    std::string output;  ///< To standard output when exit_code is exit_ok, else to standard error.
};
Command parse_command_line(int argc, const char* const* argv, const Settings& settings);

}  // namespace twinsite::base::daemon
