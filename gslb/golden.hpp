// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gslb/intent.hpp"

namespace twinsite::gslb {

/// The self-test of a published intent: questions with the answers that its author expects when
/// all targets are up.
inline constexpr std::string_view kGoldenFile = "golden.json";

/// Asks `intent` the questions of `folder`/golden.json. Each wrong answer is a sentence; none also
/// when there is no such file.
std::vector<std::string> run_golden(const Intent& intent, const std::string& folder);

}  // namespace twinsite::gslb
