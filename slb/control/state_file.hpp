// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace twinsite::slb::control {

/// The whole file; nullopt when there is none.
base::Result<std::optional<std::string>> read_state_file(const std::string& path);

/// Replaces the file so that a crash leaves the old or the new text, never a part: written beside
/// it, synced, renamed over it, folder synced.
base::Result<void> write_state_file(const std::string& path, std::string_view text);

}  // namespace twinsite::slb::control
