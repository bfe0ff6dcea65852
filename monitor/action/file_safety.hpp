// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/error/result.hpp"

/// Whether what decides over this machine is in nobody else's hands.
namespace twinsite::monitor::action {

/// What is wrong with a program's file, in words: it must be a regular file that may be executed,
/// and it and every folder and link on the way to it must belong to root or to us and be writable
/// by nobody else (folders with the sticky bit may be). nullopt: nothing.
std::optional<std::string> find_unsafe_program(const std::string& path);

/// The content of a file that is as safe as a program must be, read from the very file that was
/// looked at. `problem` says in words what is wrong.
struct SafeText {
    std::string text;
    std::string problem;
};
SafeText read_safe_file(const std::string& path);

}  // namespace twinsite::monitor::action
