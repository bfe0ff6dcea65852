// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/snapshot_builder.hpp"

#include <algorithm>
#include <utility>

#include "base/error/check.hpp"
#include "gslb/steering/decide.hpp"

namespace twinsite::gslb::answer {
namespace {

using base::text::Family;

bool same_filters(const std::vector<steering::Filter>& a, const std::vector<steering::Filter>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.kind == y.kind && x.order == y.order;
    });
}

bool decides_alike(const steering::Policy& a, const steering::Policy& b) {
    return a.service == b.service && a.ttl_min == b.ttl_min && a.ttl_max == b.ttl_max &&
           a.all_down == b.all_down && same_filters(a.filters, b.filters);
}

}  // namespace

std::vector<wire::dns::Name> steered_names(
    const steering::Steering& steering, std::vector<std::string>& problems
) {
    std::vector<wire::dns::Name> out;
    for (const steering::Policy& policy : steering.policies) {
        auto name = wire::dns::parse_name(policy.owner);
        if (name) {
            out.push_back(*std::move(name));
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
        if (same == groups_.end()) groups_.push_back({i, {}});
    }
}

ServiceStates SnapshotBuilder::initial_states() const {
    ServiceStates out;
    for (const steering::Service& service : steering_->services)
        out.emplace_back(service.targets.size());
    return out;
}

void SnapshotBuilder::decide_group(Group& group, const ServiceStates& states) {
    const steering::Policy& policy = steering_->policies[group.policy];
    const auto& classes = prefixes_->classes();
    for (const Family family : {Family::v4, Family::v6}) {
        std::vector<steering::Plan> plans;
        for (const steering::SiteOrder& sites : classes) {
            plans.push_back(
                steering::decide(*steering_, policy, states[policy.service], sites, family)
            );
            ++decided_;
            if (!plans.back().client_dependent) break;  // class 0 stands for all
        }
        group.sets[family == Family::v6 ? 1 : 0] =
            std::make_shared<const VariantSet>(make_variants(plans));
    }
}

std::shared_ptr<const Snapshot> SnapshotBuilder::build(const ServiceStates& states) {
    BASE_CHECK(states.size() == steering_->services.size());
    decided_ = 0;
    for (Group& group : groups_) {
        const std::size_t service = steering_->policies[group.policy].service;
        const bool known = group.sets[0] != nullptr && states_[service] == states[service];
        if (!known) decide_group(group, states);
    }
    states_ = states;

    // Snapshot has no public constructor, so make_shared cannot be used.
    std::shared_ptr<Snapshot> out(new Snapshot);
    out->version_ = next_version_++;
    out->index_ = index_;
    out->index_raw_ = index_.get();
    out->prefixes_ = prefixes_;
    out->prefixes_raw_ = prefixes_.get();
    out->steering_ = steering_;
    for (const Group& group : groups_)
        out->owned_.insert(out->owned_.end(), group.sets.begin(), group.sets.end());
    out->sets_.reserve(group_of_.size() * 2);
    for (const std::size_t group : group_of_)
        for (const auto& set : groups_[group].sets) out->sets_.push_back(set.get());
    return out;
}

}  // namespace twinsite::gslb::answer
