// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gslb/answer/draft.hpp"
#include "gslb/answer/snapshot.hpp"

namespace twinsite::gslb::answer {

/// Writes the sections and the code of the answer to a well-formed question: what the zones hold,
/// referrals, aliases, proofs that something does not exist, steered records.
void resolve(const Context& context, const Snapshot& snapshot, Draft& draft);

}  // namespace twinsite::gslb::answer
