// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/snapshot_builder.hpp"

#include <algorithm>
#include <utility>

#include "base/error/check.hpp"
#include "gslb/steering/decide.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

bool decides_alike(const steering::Policy& a, const steering::Policy& b) {
    return a.service == b.service && a.ttl_min == b.ttl_min && a.ttl_max == b.ttl_max &&
           a.all_down == b.all_down && a.filters == b.filters && a.types == b.types &&
           a.use_client_subnet == b.use_client_subnet &&
           a.last_resort.addresses == b.last_resort.addresses &&
           a.last_resort.records == b.last_resort.records;
}

}  // namespace

std::vector<zone::SteeredName> steered_names(
    const steering::Steering& steering, std::vector<std::string>& problems
) {
    std::vector<zone::SteeredName> out;
    for (const steering::Policy& policy : steering.policies) {
        auto name = wire::dns::parse_name(policy.owner);
        if (name) {
            out.push_back({*std::move(name), steering::steered_types(policy, steering)});
        } else {
            problems.push_back("steered name '" + policy.owner + "': " + name.error().message());
        }
    }
    return out;
}

SnapshotBuilder::SnapshotBuilder(
    std::shared_ptr<const zone::Index> index,
    std::shared_ptr<const steering::PrefixMap> prefixes,
    std::shared_ptr<const steering::Steering> steering,
    std::uint64_t first_version,
    ZoneSigners signers
)
    : index_(std::move(index)),
      prefixes_(std::move(prefixes)),
      steering_(std::move(steering)),
      signers_(std::move(signers)),
      next_version_(first_version) {
    const auto& policies = steering_->policies;
    for (std::size_t i = 0; i < policies.size(); ++i) {
        // An owner that is no name was refused before (steered_names).
        auto owner = wire::dns::parse_name(policies[i].owner);
        owners_.push_back(owner ? *std::move(owner) : wire::dns::Name());
        auto* const signer = signer_of(owners_.back());
        const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
            return group.signer == signer && decides_alike(policies[group.policy], policies[i]);
        });
        const auto place = static_cast<std::size_t>(same - groups_.begin());
        if (same == groups_.end()) groups_.push_back(group_for(i));
        Group& group = groups_[place];
        group.signer = signer;
        group_of_.push_back({place, group.members.size()});
        group.members.push_back(i);
    }
}

/// The signer of the zone that the name is in: the lowest of those above it, signed or not.
zone::VariantSigner* SnapshotBuilder::signer_of(const wire::dns::Name& owner) const {
    if (signers_.empty()) return nullptr;
    const wire::dns::Name* origin = nullptr;
    for (const auto& zone : index_->zones())
        if (owner.is_at_or_below(zone.origin) &&
            (origin == nullptr || zone.origin.size_bytes() > origin->size_bytes()))
            origin = &zone.origin;
    for (const auto& signer : signers_)
        if (origin != nullptr && signer->origin() == *origin) return signer.get();
    return nullptr;
}

SnapshotBuilder::Group SnapshotBuilder::group_for(std::size_t policy) const {
    const steering::Policy& from = steering_->policies[policy];
    Group out{policy, {from.service}, false, {}};
    for (const steering::Filter& filter : from.filters)
        for (const steering::Dependency& wanted : filter.dependencies) {
            if (wanted.fact.empty()) out.services.push_back(wanted.service);
            out.uses_facts |= !wanted.fact.empty();
        }
    return out;
}

ServiceStates SnapshotBuilder::initial_states() const {
    ServiceStates out;
    for (const steering::Service& service : steering_->services)
        out.emplace_back(service.targets.size());
    return out;
}

void SnapshotBuilder::decide_group(Group& group, const Inputs& inputs) {
    const steering::Policy& policy = steering_->policies[group.policy];
    const auto& classes = prefixes_->classes();
    group.sets.clear();
    for (const std::uint16_t type : steering::steered_types(policy, *steering_)) {
        std::vector<steering::Plan> plans;
        for (const steering::SiteOrder& sites : classes) {
            plans.push_back(steering::decide(
                *steering_, policy, inputs.states[policy.service], sites, type, inputs.facts
            ));
            ++decided_;
            if (!plans.back().client_dependent) break;  // class 0 stands for all
        }
        Signing signing{static_cast<std::uint32_t>(policy.ttl_max.count()), 0, {}};
        if (group.signer) signing.record_bytes = signature_record_bytes(group.signer->origin());
        Set set{type, {}, {}};
        set.variants = std::make_shared<const VariantSet>(
            make_variants(plans, classes.size(), group.signer ? &signing : nullptr)
        );
        if (group.signer) sign_set(group, signing, set);
        group.sets.push_back(std::move(set));
    }
}

void SnapshotBuilder::sign_set(const Group& group, const Signing& signing, Set& set) {
    set.signatures.reserve(group.members.size());
    for (const std::size_t policy : group.members) {
        SteeredSignatures made;
        const auto& owner = owners_[policy];
        if (!sign_variants(owner, set.type, *set.variants, signing, *group.signer, made))
            ++unsigned_;
        set.signatures.push_back(std::make_shared<const SteeredSignatures>(std::move(made)));
    }
}

std::shared_ptr<const Snapshot> SnapshotBuilder::build(
    const ServiceStates& states, const steering::Facts& facts
) {
    BASE_CHECK(states.size() == steering_->services.size());
    decided_ = 0;
    unsigned_ = 0;
    Inputs inputs{states, facts};
    inputs.facts.services = states;
    const bool same_facts = facts.values == facts_;
    for (Group& group : groups_) {
        const auto looked_at = [&](std::size_t service) {
            return states_[service] == states[service];
        };
        const bool known = !group.sets.empty() && (same_facts || !group.uses_facts) &&
                           std::all_of(group.services.begin(), group.services.end(), looked_at);
        if (!known) decide_group(group, inputs);
    }
    states_ = states;
    facts_ = facts.values;
    return publishable();
}

std::shared_ptr<const Snapshot> SnapshotBuilder::publishable() {
    // Snapshot has no public constructor, so make_shared cannot be used.
    std::shared_ptr<Snapshot> out(new Snapshot);
    out->version_ = next_version_++;
    out->index_ = index_;
    out->index_raw_ = index_.get();
    out->prefixes_ = prefixes_;
    out->prefixes_raw_ = prefixes_.get();
    out->steering_ = steering_;
    for (const Group& group : groups_)
        for (const Set& set : group.sets) {
            out->owned_.push_back(set.variants);
            out->owned_signatures_.insert(
                out->owned_signatures_.end(), set.signatures.begin(), set.signatures.end()
            );
        }
    out->sets_.reserve(group_of_.size() * 2);
    std::vector<const SteeredSignatures*> signatures;
    signatures.reserve(group_of_.size() * 2);
    for (std::size_t policy = 0; policy < group_of_.size(); ++policy) {
        std::array<const VariantSet*, 2> addresses{};
        std::array<const SteeredSignatures*, 2> signed_addresses{};
        for (const Set& set : groups_[group_of_[policy].group].sets) {
            const auto type = set.type;
            const auto* const variants = set.variants.get();
            const auto* const signed_as =
                set.signatures.empty() ? nullptr : set.signatures[group_of_[policy].member].get();
            // A CNAME answers every type.
            if (type != wire::dns::type::aaaa && type != wire::dns::type::a)
                out->others_.push_back(
                    {static_cast<std::uint32_t>(policy), type, variants, signed_as}
                );
            for (const std::size_t family : {0U, 1U}) {
                const auto own = family == 0 ? wire::dns::type::a : wire::dns::type::aaaa;
                if (type != own && type != wire::dns::type::cname) continue;
                addresses[family] = variants;
                signed_addresses[family] = signed_as;
            }
        }
        out->sets_.insert(out->sets_.end(), addresses.begin(), addresses.end());
        signatures.insert(signatures.end(), signed_addresses.begin(), signed_addresses.end());
    }
    if (!signers_.empty()) out->signatures_ = std::move(signatures);
    return out;
}

}  // namespace twinsite::gslb::answer
