// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/collect/control_group.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::monitor::collect {

/// How much memory is used, from /proc/meminfo and the control group; age 0.
wire::contract::Sample sample_memory(const ControlGroup& group);

}  // namespace twinsite::monitor::collect
