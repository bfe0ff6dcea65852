// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "gslb/health/verdict.hpp"

/// Verdicts on disk, so that a restart is neither "all up" nor "all unknown".
namespace twinsite::gslb::health {

struct SavedVerdict {
    State state = State::unknown;
    std::chrono::milliseconds age{};  ///< Of the last result.

    bool operator==(const SavedVerdict&) const = default;
};
/// By the one-line form of the question.
using SavedVerdicts = std::map<std::string, SavedVerdict>;

using WallTime = std::chrono::system_clock::time_point;

/// The file's text. Ages are as of `now`.
std::string to_json(const SavedVerdicts& verdicts, WallTime now);
/// Ages are as of `now`: what passed since the file was written is added, nothing when the clock
/// was set back. nullopt for anything that is not our file.
std::optional<SavedVerdicts> from_json(std::string_view text, WallTime now);

/// A file that is absent is empty; one that cannot be read or understood is an error.
base::Result<SavedVerdicts> read_verdicts(const std::string& path, WallTime now);
/// Replaces the file by renaming: a process that dies in between leaves a whole file. It is not
/// synced to the disk: after a loss of power the first round of checks decides.
base::Result<void> write_verdicts(
    const std::string& path, const SavedVerdicts& verdicts, WallTime now
);

}  // namespace twinsite::gslb::health
