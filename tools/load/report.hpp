// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "tools/load/workload.hpp"

namespace twinsite::tools::load {

/// The result as one JSON object, one line, no newline.
std::string to_json(const Counters& counters, std::chrono::nanoseconds elapsed);

/// Nothing lost, doubled or unexpected, and everything due could be sent.
bool is_clean(const Counters& counters);

}  // namespace twinsite::tools::load
