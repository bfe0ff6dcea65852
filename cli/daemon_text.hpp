// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Answers that gslb and slb have in common as text for people. Pure: JSON in, lines out.
namespace twinsite::cli {

/// Counters, one a line with the dotted path of its JSON member.
std::string counters_text(const std::string& body);
/// The answer to a reload.
std::string reload_text(const std::string& body);

}  // namespace twinsite::cli
