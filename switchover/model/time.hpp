// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace twinsite::switchover::model {

/// A moment of this server's monotonic clock. Wall clocks are for people; nothing is judged by one.
using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::milliseconds;

}  // namespace twinsite::switchover::model
