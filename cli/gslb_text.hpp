// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Answers of twinsite-gslb's control API as text for people. Pure: JSON in, lines out.
namespace twinsite::cli {

std::string explain_text(const std::string& body);
/// After an override was set or cleared; warns when that would not survive a restart.
std::string override_set_text(const std::string& body);
std::string override_cleared_text(const std::string& body);
std::string overrides_text(const std::string& body);
std::string gslb_status_text(const std::string& body);

}  // namespace twinsite::cli
