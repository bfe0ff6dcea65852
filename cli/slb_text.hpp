// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Answers of twinsite-slb's control API as text for people. Pure: JSON in, lines out.
namespace twinsite::cli {

std::string blades_text(const std::string& body);
std::string slb_status_text(const std::string& body);

}  // namespace twinsite::cli
