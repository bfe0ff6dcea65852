// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gslb/answer/snapshot.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/steering/facts.hpp"
#include "wire/group/message.hpp"

/// Whether two members answer alike. Each hashes, policy by policy, what its answers follow from
/// (configuration, health, words of operators and switchover) and the answers themselves. Equal
/// inputs must give equal answers; if they do not, one of the two is broken.
namespace twinsite::gslb::control {

/// In order of owners. `states` and `facts` are those that `snapshot` was built from;
/// `configuration` names what all members of a group read (Setup::configuration). TTLs do not
/// count: they follow what each member's own checks see coming.
std::vector<wire::group::PolicyDigest> digest_decisions(
    const answer::Snapshot& snapshot,
    const answer::ServiceStates& states,
    const steering::Facts& facts,
    const std::string& configuration
);

struct DecisionRoots {
    std::string inputs;  ///< 64 hex digits
    std::string tables;
};
DecisionRoots roots_of(const std::vector<wire::group::PolicyDigest>& digests);

}  // namespace twinsite::gslb::control
