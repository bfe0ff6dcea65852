// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "switchover/api/views.hpp"

namespace twinsite::switchover::scenario {
struct Run;
struct Scenario;
}  // namespace twinsite::switchover::scenario

namespace twinsite::switchover::api {

/// The run as it is shown. `scenario` gives titles and needs; nullptr when it is not there any
/// more, or when its steps are others by now. RTO = R5 - R0; without the human wait no less than 0.
RunView view_of(const scenario::Run& run, const scenario::Scenario* scenario);

/// A summary of the same, without steps.
RunView without_steps(RunView run);

}  // namespace twinsite::switchover::api
