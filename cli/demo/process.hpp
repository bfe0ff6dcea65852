// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/error/result.hpp"

/// Processes that outlive the command that started them, and are found again by what was written
/// down about them. A number alone is not enough: the kernel gives it to others later on, so the
/// time of start (field 22 of /proc/PID/stat, in clock ticks since boot) goes with it.
namespace twinsite::cli::demo {

struct Record {
    pid_t pid = 0;
    std::uint64_t start_time = 0;

    auto operator<=>(const Record&) const = default;
};

enum class Life : std::uint8_t { dead, running, stopped };

/// nullopt when the file is not there or says nothing useful.
std::optional<Record> read_record(const std::filesystem::path& path);
base::Result<void> write_record(const std::filesystem::path& path, const Record& record);

/// The record of a living process; nullopt when there is none with this number.
std::optional<Record> observe(pid_t pid);
/// Dead also when the number now belongs to another process, or to a zombie.
Life life_of(const Record& record);

/// Starts `command` (its first word is a path) in a session of its own, with standard input from
/// nowhere and both outputs appended to `log`. Errors are about the log file and the start itself.
base::Result<Record> launch(
    const std::vector<std::string>& command, const std::filesystem::path& log
);

/// Sends the signal to the recorded process and to no other. False when it is dead already.
bool send(const Record& record, int signal);
/// Waits until the process is dead. False when `limit` passed before.
bool wait_for_death(const Record& record, std::chrono::milliseconds limit);

}  // namespace twinsite::cli::demo
