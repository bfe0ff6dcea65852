// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "switchover/judge/judge.hpp"

namespace twinsite::wire::contract {
struct Report;
}

namespace twinsite::switchover::judge {

/// What the judge takes from a live report that was measured then. The result points into `report`
/// and `processes`, which is overwritten: keep it from report to report.
HostReading take_report(
    const wire::contract::Report& report, Time measured, std::vector<ProcessReading>& processes
);

}  // namespace twinsite::switchover::judge
