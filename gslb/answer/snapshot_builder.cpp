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
    std::uint64_t first_version
)
    : index_(std::move(index)),
      prefixes_(std::move(prefixes)),
      steering_(std::move(steering)),
      next_version_(first_version) {
    const auto& policies = steering_->policies;
    for (std::size_t i = 0; i < policies.size(); ++i) {
        const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
            return decides_alike(policies[group.policy], policies[i]);
        });
        group_of_.push_back(static_cast<std::size_t>(same - groups_.begin()));
        if (same == groups_.end()) groups_.push_back(group_for(i));
    }
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
        group.sets.push_back(
            {type, std::make_shared<const VariantSet>(make_variants(plans, classes.size()))}
        );
    }
}

std::shared_ptr<const Snapshot> SnapshotBuilder::build(
    const ServiceStates& states, const steering::Facts& facts
) {
    BASE_CHECK(states.size() == steering_->services.size());
    decided_ = 0;
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
        for (const auto& [type, set] : group.sets) out->owned_.push_back(set);
    out->sets_.reserve(group_of_.size() * 2);
    for (std::size_t policy = 0; policy < group_of_.size(); ++policy) {
        std::array<const VariantSet*, 2> addresses{};
        for (const auto& [type, set] : groups_[group_of_[policy]].sets) {
            const auto number = static_cast<std::uint32_t>(policy);
            // A CNAME answers every type.
            if (type != wire::dns::type::aaaa && type != wire::dns::type::a)
                out->others_.push_back({number, type, set.get()});
            if (type == wire::dns::type::a || type == wire::dns::type::cname)
                addresses[0] = set.get();
            if (type == wire::dns::type::aaaa || type == wire::dns::type::cname)
                addresses[1] = set.get();
        }
        out->sets_.insert(out->sets_.end(), addresses.begin(), addresses.end());
    }
    return out;
}

}  // namespace twinsite::gslb::answer
