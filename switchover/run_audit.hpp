// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "switchover/scenario/run.hpp"
#include "switchover/store/audit.hpp"

namespace twinsite::switchover {

/// The lines for what changed between two states of a run: its own state, and that of its steps.
std::vector<store::AuditDraft> audit_of(const scenario::Run& before, const scenario::Run& after);

}  // namespace twinsite::switchover
