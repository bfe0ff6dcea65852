// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/answer/snapshot.hpp"
#include "gslb/steering/facts.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/prefix_map.hpp"
#include "gslb/steering/state.hpp"
#include "gslb/zone/index.hpp"
#include "gslb/zone/steered_name.hpp"
#include "gslb/zone/variant_signer.hpp"

namespace twinsite::gslb::answer {

/// States of all targets: one list per service, one entry per target, in the order of Steering.
using ServiceStates = std::vector<std::vector<steering::TargetState>>;

/// The owners of all policies, in their order: what zone::build_index wants as `steered`. An owner
/// that is not a name gives a sentence in `problems`.
std::vector<zone::SteeredName> steered_names(
    const steering::Steering& steering, std::vector<std::string>& problems
);

/// One for each signed zone. Not shared with another thread.
using ZoneSigners = std::vector<std::shared_ptr<zone::VariantSigner>>;

/// Makes the snapshots of one configuration. A change of health decides anew only for the policies
/// of the services it touches, and shares everything else with the snapshot before. For one thread.
class SnapshotBuilder {
public:
    /// `index` was built with steered_names(*steering). `first_version` is that of the first
    /// snapshot. `signers` are those of the signed zones; every answer is signed before it is in a
    /// snapshot.
    SnapshotBuilder(
        std::shared_ptr<const zone::Index> index,
        std::shared_ptr<const steering::PrefixMap> prefixes,
        std::shared_ptr<const steering::Steering> steering,
        std::uint64_t first_version = 1,
        ZoneSigners signers = {}
    );

    /// All targets unknown, nothing forced.
    ServiceStates initial_states() const;
    /// `facts.services` is not looked at: it is `states`.
    std::shared_ptr<const Snapshot> build(
        const ServiceStates& states, const steering::Facts& facts = steering::no_facts()
    );
    /// How many answers (policy, family, class) the last build decided anew.
    std::size_t decided() const { return decided_; }
    /// How many answers (policy, type) the last build could not sign: they go out unsigned.
    std::size_t unsigned_answers() const { return unsigned_; }

private:
    struct Set {
        std::uint16_t type = 0;
        std::shared_ptr<const VariantSet> variants;
        /// By Group::members; empty when their zone is not signed.
        std::vector<std::shared_ptr<const SteeredSignatures>> signatures;
    };
    struct Inputs {
        const ServiceStates& states;
        steering::Facts facts;
    };
    /// Policies of one zone that differ in nothing but their owner share their answers.
    struct Group {
        std::size_t policy = 0;             ///< the first of them
        std::vector<std::size_t> services;  ///< whose states it looks at
        bool uses_facts = false;
        std::vector<Set> sets;  ///< one for each type, in order
        zone::VariantSigner* signer = nullptr;
        std::vector<std::size_t> members = {};  ///< policies
    };
    /// Where a policy's answers are.
    struct Membership {
        std::size_t group = 0;
        std::size_t member = 0;
    };
    zone::VariantSigner* signer_of(const wire::dns::Name& owner) const;
    void sign_set(const Group& group, const Signing& signing, Set& set);
    Group group_for(std::size_t policy) const;
    void decide_group(Group& group, const Inputs& inputs);
    std::shared_ptr<const Snapshot> publishable();

    // fixed after construction
    std::shared_ptr<const zone::Index> index_;
    std::shared_ptr<const steering::PrefixMap> prefixes_;
    std::shared_ptr<const steering::Steering> steering_;
    ZoneSigners signers_;
    std::vector<wire::dns::Name> owners_;  // by policy
    std::vector<Membership> group_of_;     // by policy
    // change with each build
    std::uint64_t next_version_;
    std::vector<Group> groups_;
    ServiceStates states_;
    std::map<std::string, steering::Fact, std::less<>> facts_;
    std::size_t decided_ = 0;
    std::size_t unsigned_ = 0;
};

}  // namespace twinsite::gslb::answer
