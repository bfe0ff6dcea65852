// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace twinsite::base::file {

/// Why what stands in the file at `path` (links followed) may come from somebody other than root
/// and the user we run as; "" when only those two can have written it. Never "" for a folder
/// or a device, or when the file cannot be looked at. A file in a folder that others may write to
/// (without the sticky bit) can be replaced by them.
std::string distrust_of(const std::string& path);

}  // namespace twinsite::base::file
