// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "switchover/scenario/scenario.hpp"

namespace twinsite::switchover::scenario {

/// Time that passes outside of the run's steps, for the worst case.
struct Delays {
    Milliseconds detection{0};  ///< From the fault until the judge says "down".
    Milliseconds dns_tail{0};   ///< TTL of the answers and slow clients.
};

struct Remark {
    std::string code;  ///< "too-slow", "database-step", ... (docs/operator/scenarios.md)
    bool refuses_auto = false;
    std::string text;
};

struct Lint {
    Milliseconds steps{0};       ///< The longest way through the steps.
    Milliseconds worst_case{0};  ///< Detection, trigger, steps, verify and the DNS tail.
    Milliseconds with_approval{0};
    std::vector<Remark> remarks;
    /// False: in mode auto it is only offered, as in semi.
    bool auto_allowed() const;
};

/// What a scenario without findings is worth: its worst case, against its target.
Lint lint(const Scenario& scenario, const Delays& delays = {});

}  // namespace twinsite::switchover::scenario
