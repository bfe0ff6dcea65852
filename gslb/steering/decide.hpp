// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/steering/plan.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/state.hpp"

namespace twinsite::gslb::steering {

/// Who decided: the strongest voice without which the answer would be another one.
// A bare `override` would read as the keyword. NOLINTNEXTLINE(readability-identifier-naming)
enum class Precedence : std::uint8_t { none, health, control, override_ };
/// "override", "control", "health" or "none".
const char* to_string(Precedence precedence) noexcept;

/// How a decision was made, for `explain`.
struct Trace {
    struct Drop {
        std::string target;
        std::string reason;
    };
    struct Stage {
        std::string filter;             ///< "family" is the first, then the chain's names
        std::vector<std::string> kept;  ///< names of targets, in order
        std::vector<Drop> dropped;
        std::string note;  ///< which rule spoke; empty when there is nothing to say
    };
    std::vector<Stage> stages;
    std::vector<std::string> sites;  ///< the client's order of sites, completed
    Precedence precedence = Precedence::none;
    std::string ttl_note;
};

/// The one function that decides, for the daemon, `explain` and the tests alike. Pure.
///
/// `states` has one entry per target of the policy's service; `listed` are the sites of the
/// client's class (PrefixMap::classes()). Targets without an address of `family` do not take part,
/// so a site that lacks the family is passed over and not answered with "no data".
/// TTL: ttl_min while a pending or unknown target could change this very plan, else ttl_max.
Plan decide(
    const Steering& steering,
    const Policy& policy,
    std::span<const TargetState> states,
    std::span<const SiteIndex> listed,
    base::text::Family family,
    Trace* trace = nullptr
);

}  // namespace twinsite::gslb::steering
