// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gslb/answer/answer.hpp"
#include "gslb/answer/draft.hpp"

namespace twinsite::gslb::answer {

/// Answers a question of class CH: who and what this server is (RFC 4892), as Conduct allows.
/// Everything else of that class is refused.
void answer_chaos(const Context& context, Draft& draft);

}  // namespace twinsite::gslb::answer
