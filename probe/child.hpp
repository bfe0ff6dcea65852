// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/descriptor.hpp"

namespace twinsite::probe {

/// A running program in a process group of its own. Its end kills the group.
class Child {
public:
    struct Command {
        std::vector<std::string> words;        ///< Absolute path and arguments.
        std::vector<std::string> environment;  ///< "NAME=value"; nothing else is passed on.
    };
    /// Errors: those of the system.
    static base::Result<Child> start(const Command& command);
    Child(Child&& other) noexcept;
    Child& operator=(Child&&) = delete;
    ~Child();

    /// Readable when the program has ended.
    base::file::Descriptor take_end_signal() { return std::move(end_); }
    /// What it writes to its output and error output.
    base::file::Descriptor take_output() { return std::move(output_); }

    /// How it ended: its exit status, or the signal below zero. nullopt while it runs.
    std::optional<int> status();

private:
    Child(pid_t pid, base::file::Descriptor end, base::file::Descriptor output)
        : pid_(pid), end_(std::move(end)), output_(std::move(output)) {}

    pid_t pid_;  ///< 0: moved away
    base::file::Descriptor end_;
    base::file::Descriptor output_;
};

}  // namespace twinsite::probe
