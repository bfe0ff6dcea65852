// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/daemon/daemon.hpp"

/// `twinsite demo ...` but for `traffic`: each function is one command, prints what it does and
/// gives its exit code.
namespace twinsite::cli::demo {

using base::daemon::ExitCode;

struct Options {
    std::string state;  ///< Empty: ~/.twinsite-demo
    std::string net;    ///< Empty: that of the running demo, else 127.0
    bool json = false;
};

/// How `break_parts` breaks: ended at once, or frozen with its sockets open.
enum class Violence : std::uint8_t { kill, stop };

ExitCode start(const Options& options);
ExitCode stop(const Options& options);
ExitCode status(const Options& options);
/// `words`: see parse_selection; at least one.
ExitCode break_parts(const Options& options, const std::vector<std::string>& words, Violence how);
/// No words: everything that is broken.
ExitCode heal(const Options& options, const std::vector<std::string>& words);

}  // namespace twinsite::cli::demo
