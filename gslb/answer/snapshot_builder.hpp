// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/answer/snapshot.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/prefix_map.hpp"
#include "gslb/steering/state.hpp"
#include "gslb/zone/index.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::answer {

/// States of all targets: one list per service, one entry per target, in the order of Steering.
using ServiceStates = std::vector<std::vector<steering::TargetState>>;

/// The owners of all policies, in their order: what zone::build_index wants as `steered`. An owner
/// that is not a name gives a sentence in `problems`.
std::vector<wire::dns::Name> steered_names(
    const steering::Steering& steering, std::vector<std::string>& problems
);

/// Makes the snapshots of one configuration. A change of health decides anew only for the policies
/// of the services it touches, and shares everything else with the snapshot before. For one thread.
class SnapshotBuilder {
public:
    /// `index` was built with steered_names(*steering). `first_version` is that of the first
    /// snapshot.
    SnapshotBuilder(
        std::shared_ptr<const zone::Index> index,
        std::shared_ptr<const steering::PrefixMap> prefixes,
        std::shared_ptr<const steering::Steering> steering,
        std::uint64_t first_version = 1
    );

    /// All targets unknown, nothing forced.
    ServiceStates initial_states() const;
    std::shared_ptr<const Snapshot> build(const ServiceStates& states);
    /// How many answers (policy, family, class) the last build decided anew.
    std::size_t decided() const { return decided_; }

private:
    using Sets = std::array<std::shared_ptr<const VariantSet>, 2>;
    /// Policies that differ in nothing but their owner share their answers.
    struct Group {
        std::size_t policy = 0;  ///< the first of them
        Sets sets;
    };
    void decide_group(Group& group, const ServiceStates& states);

    // fixed after construction
    std::shared_ptr<const zone::Index> index_;
    std::shared_ptr<const steering::PrefixMap> prefixes_;
    std::shared_ptr<const steering::Steering> steering_;
    std::vector<std::size_t> group_of_;  // by policy
    // change with each build
    std::uint64_t next_version_;
    std::vector<Group> groups_;
    ServiceStates states_;
    std::size_t decided_ = 0;
};

}  // namespace twinsite::gslb::answer
