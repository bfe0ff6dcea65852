// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace twinsite::base::file {

/// The whole file; nullopt when there is none. At most 64 MiB (file_too_large). Other errors are
/// the system's.
Result<std::optional<std::string>> read_state_file(const std::string& path);

enum class Durability {
    synced,   ///< On the disk before the call returns: for what an operator said. May block long.
    renamed,  ///< Whole or old after a crash of the process: for what is measured anew anyway.
};

/// Replaces the file so that a reader finds the old or the new text, never a part: written beside
/// it as PATH.new, renamed over it. The file never has more rights than `mode`.
Result<void> write_state_file(
    const std::string& path,
    std::string_view text,
    Durability durability = Durability::synced,
    unsigned mode = 0640
);

}  // namespace twinsite::base::file
