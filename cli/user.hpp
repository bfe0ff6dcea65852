// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace twinsite::cli {

/// Who runs this command. Under sudo the person, not root: the author of a change is somebody to
/// ask.
std::string current_user();

}  // namespace twinsite::cli
