// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "switchover/judge/judge.hpp"

namespace twinsite::switchover::judge {

/// The evidence that a site is down: every gate must be ok.
std::vector<Gate> explain_evidence(const Parts& parts, std::size_t site);
/// Whether it may take all users: every gate must be ok.
std::vector<Gate> explain_readiness(const Parts& parts, std::size_t site);
/// The gates of the condition "site.WHAT".
std::vector<Gate> explain_site(const Parts& parts, std::string_view what, std::size_t site);

/// What is to be well with a machine: its report, its disk, its memory.
std::vector<Gate> explain_host(const Parts& parts, std::size_t host);
/// What is to be well with a member: it is reached, in step, ready.
std::vector<Gate> explain_member(const Parts& parts, std::size_t member);
Gate explain_process_state(const Parts& parts, std::size_t process);

}  // namespace twinsite::switchover::judge
