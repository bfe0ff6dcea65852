// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/simulate.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

#include "gslb/control/rdata_text.hpp"
#include "gslb/steering/decide.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::control {
namespace {

using steering::Plan;
using steering::PlanMode;
using steering::TargetState;

ClassAnswer to_answer(
    const Plan& plan, const steering::Policy& policy, const steering::Service& service
) {
    ClassAnswer out;
    out.owner = policy.owner;
    out.drawn = (plan.mode == PlanMode::weighted_one || plan.mode == PlanMode::weighted_multi) &&
                plan.members.size() > 1;
    for (const auto& member : plan.members) {
        const bool last = member.target == steering::kLastResort;
        out.targets.push_back(last ? "(last resort)" : service.targets[member.target].name);
        for (const auto& rdata : member.rdatas)
            out.records.push_back(rdata_to_text(plan.type, rdata, 0, rdata.size()));
    }
    return out;
}

std::vector<std::string> names_of(
    const steering::SiteOrder& sites, const steering::Steering& steering
) {
    std::vector<std::string> out;
    for (const auto site : sites) out.push_back(steering.sites[site]);
    return out;
}

void add_class(std::vector<ClassAnswer>& list, ClassAnswer answer, std::vector<std::string> sites) {
    const auto same = std::find_if(list.begin(), list.end(), [&](const ClassAnswer& each) {
        return each.same_answer(answer);
    });
    auto& into = same == list.end() ? list.emplace_back(std::move(answer)) : *same;
    into.classes.push_back(std::move(sites));
}

/// Calls `change` for the states of every target that `object` names; false when there is none.
bool change_object(
    const steering::Steering& steering,
    answer::ServiceStates& states,
    const std::string& object,
    const std::function<void(TargetState&)>& change
) {
    bool found =
        std::find(steering.sites.begin(), steering.sites.end(), object) != steering.sites.end();
    for (std::size_t s = 0; s < steering.services.size(); ++s) {
        const auto& service = steering.services[s];
        for (std::size_t t = 0; t < service.targets.size(); ++t) {
            const auto& target = service.targets[t];
            const bool named = object == steering.sites[target.site] || object == service.name ||
                               object == service.name + "/" + target.name;
            if (named) change(states[s][t]);
            found |= named;
        }
    }
    return found;
}

}  // namespace

std::vector<ClassAnswer> answer_classes(
    const steering::Steering& steering,
    const steering::PrefixMap& prefixes,
    const answer::ServiceStates& states,
    const steering::Facts& told,
    std::string_view only
) {
    auto facts = told;
    facts.services = states;
    std::vector<ClassAnswer> out;
    for (const auto& policy : steering.policies) {
        if (!only.empty() && policy.owner != only) continue;
        for (const auto type : steering::steered_types(policy, steering)) {
            std::vector<ClassAnswer> list;
            bool by_client = false;
            for (const auto& sites : prefixes.classes()) {
                const auto plan =
                    steering::decide(steering, policy, states[policy.service], sites, type, facts);
                auto answer = to_answer(plan, policy, steering.services[policy.service]);
                answer.type = wire::dns::type_to_string(type);
                add_class(list, std::move(answer), names_of(sites, steering));
                by_client = plan.client_dependent;
                if (!by_client) break;
            }
            if (!by_client)
                for (auto& each : list) each.classes.clear();
            std::move(list.begin(), list.end(), std::back_inserter(out));
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const ClassAnswer& a, const ClassAnswer& b) {
        return std::tie(a.owner, a.type) < std::tie(b.owner, b.type);
    });
    return out;
}

std::variant<answer::ServiceStates, std::string> suppose(
    const steering::Steering& steering, answer::ServiceStates states, const Supposition& what
) {
    const auto set_health = [](steering::Health health) {
        return [health](TargetState& state) {
            state.health = health;
            state.pending = false;
        };
    };
    for (const auto& object : what.down)
        if (!change_object(steering, states, object, set_health(steering::Health::down)))
            return object;
    for (const auto& object : what.up)
        if (!change_object(steering, states, object, set_health(steering::Health::up)))
            return object;
    for (const auto& object : what.drain)
        if (!change_object(steering, states, object, [](TargetState& state) {
                state.forced = steering::Forced::drain;
            }))
            return object;
    return states;
}

}  // namespace twinsite::gslb::control
