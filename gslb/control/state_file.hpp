// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace twinsite::gslb::control {

/// The whole file; nullopt when there is none. At most 64 MiB.
base::Result<std::optional<std::string>> read_state_file(const std::string& path);

/// Replaces the file so that after a crash either the old or the new text stands there, whole:
/// written beside it, synced, renamed, and the folder synced. Mode 0640.
base::Result<void> write_state_file(const std::string& path, std::string_view text);

}  // namespace twinsite::gslb::control
