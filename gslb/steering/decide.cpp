// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/decide.hpp"

#include <algorithm>

#include "base/error/check.hpp"
#include "gslb/steering/chain.hpp"
#include "gslb/steering/plan_maker.hpp"
#include "gslb/steering/records_of.hpp"

namespace twinsite::gslb::steering {

namespace {

/// Runs `body` as one stage of the trace, if there is one.
template <class Body>
void as_stage(Chain& chain, Trace* trace, const char* filter, Body body) {
    Trace::Stage stage;
    stage.filter = filter;
    chain.stage = trace != nullptr ? &stage : nullptr;
    body();
    chain.stage = nullptr;
    if (trace == nullptr) return;
    for (const std::size_t index : chain.kept) stage.kept.push_back(chain.target(index).name);
    trace->stages.push_back(std::move(stage));
}

/// "has no IPv4 address", "has no SRV record".
std::string lack_of(std::uint16_t type, const char* before) {
    if (!is_address(type)) return before + wire::dns::type_to_string(type) + " record";
    return before + std::string(type == wire::dns::type::a ? "IPv4" : "IPv6") + " address";
}

void keep_type(Chain& chain) {
    for (std::size_t i = 0; i < chain.service.targets.size(); ++i) chain.kept.push_back(i);
    chain.keep_if(
        [&](std::size_t index) { return has_type(chain.target(index), chain.type); },
        lack_of(chain.type, "has no ")
    );
    if (chain.kept.empty())
        chain.note(
            lack_of(chain.type, is_address(chain.type) ? "no target has an " : "no target has a ")
        );
}

void apply(Chain& chain, const Filter& filter) {
    switch (filter.kind) {
        case FilterKind::override_:
            return apply_override(chain);
        case FilterKind::depends:
            return apply_depends(chain, filter);
        case FilterKind::up:
            return apply_up(chain);
        case FilterKind::nearest:
            return apply_nearest(chain, filter);
        case FilterKind::load:
            return apply_load(chain);
        case FilterKind::failover:
            return apply_failover(chain, filter);
        case FilterKind::weighted:
            return apply_weighted(chain, filter);
        case FilterKind::sticky:
            return apply_sticky(chain, filter);
        case FilterKind::rotate:
            return apply_rotate(chain);
        case FilterKind::all:
            return apply_all(chain);
        case FilterKind::first:
            return apply_first(chain, filter);
    }
}

/// One decision without the questions around it (TTL, precedence).
class Run {
public:
    Run(const Steering& steering,
        const Policy& policy,
        std::span<const SiteIndex> listed,
        std::uint16_t type,
        const Facts& facts)
        : steering_(steering),
          policy_(policy),
          service_(steering.services[policy.service]),
          listed_(listed),
          type_(type),
          facts_(facts) {}

    Outcome operator()(std::span<const TargetState> states, Trace* trace = nullptr) const {
        Chain chain{steering_, policy_, service_, states, listed_, type_, facts_};
        as_stage(chain, trace, is_address(type_) ? "family" : "type", [&] { keep_type(chain); });
        const bool any = !chain.kept.empty();
        for (const Filter& filter : policy_.filters)
            as_stage(chain, trace, to_string(filter.kind), [&] { apply(chain, filter); });
        if (any && chain.kept.empty() && policy_.all_down == AllDown::last_resort)
            as_stage(chain, trace, "last_resort", [&] { apply_last_resort(chain); });
        return take_outcome(chain);
    }

    /// A target whose health could turn and would change `outcome`.
    struct Turn {
        const Target* target = nullptr;  ///< null: there is none
        std::uint32_t in_s = 0;          ///< no sooner than this; 0: at any moment
    };
    /// The soonest of those.
    Turn soonest_turn(std::span<const TargetState> states, const Outcome& outcome) const {
        Turn out;
        const auto horizon = static_cast<std::uint32_t>(policy_.ttl_max.count());
        std::vector<TargetState> other(states.begin(), states.end());
        for (std::size_t i = 0; i < other.size(); ++i) {
            const bool doubtful = states[i].pending || states[i].health == Health::unknown;
            const std::uint32_t in_s = doubtful ? 0 : states[i].soonest_change_s;
            if (!doubtful && (in_s == 0 || in_s >= horizon)) continue;
            if (out.target != nullptr && out.in_s <= in_s) continue;
            if (matters(other, i, outcome)) out = {&service_.targets[i], in_s};
        }
        return out;
    }

    Precedence precedence(std::span<const TargetState> states, const Outcome& outcome) const {
        std::vector<TargetState> other(states.begin(), states.end());
        for (TargetState& state : other) state.forced = Forced::none;
        if ((*this)(other) != outcome) return Precedence::override_;
        for (TargetState& state : other) state.control = Forced::none;
        if ((*this)(other) != outcome) return Precedence::control;
        for (TargetState& state : other) state.health = Health::up;
        return (*this)(other) != outcome ? Precedence::health : Precedence::none;
    }

    /// Plan::client_dependent: whether the class can matter at all.
    bool class_matters() const {
        bool nearest = false;
        bool reordered = false;
        bool drawn_over_sites = false;
        bool one_site = false;
        for (const Filter& filter : policy_.filters) {
            nearest |= filter.kind == FilterKind::nearest;
            one_site |= filter.kind == FilterKind::failover;
            one_site |= filter.kind == FilterKind::first;
            reordered |= filter.kind == FilterKind::failover && !filter.order.empty();
            const bool draws =
                filter.kind == FilterKind::weighted || filter.kind == FilterKind::sticky;
            drawn_over_sites |= draws && !one_site;
        }
        return nearest && !reordered && !drawn_over_sites && site_count() > 1;
    }

private:
    /// Whether another health of target `i` would give another outcome.
    bool matters(std::vector<TargetState>& states, std::size_t i, const Outcome& outcome) const {
        const Health now = states[i].health;
        bool out = false;
        for (const Health turned : {Health::up, Health::down}) {
            states[i].health = turned;
            out = out || (turned != now && (*this)(states) != outcome);
        }
        states[i].health = now;
        return out;
    }

    /// Sites that have a target with the type.
    std::size_t site_count() const {
        std::vector<SiteIndex> sites;
        for (const Target& target : service_.targets)
            if (has_type(target, type_)) sites.push_back(target.site);
        std::sort(sites.begin(), sites.end());
        return static_cast<std::size_t>(std::unique(sites.begin(), sites.end()) - sites.begin());
    }

    const Steering& steering_;
    const Policy& policy_;
    const Service& service_;
    std::span<const SiteIndex> listed_;
    std::uint16_t type_;
    const Facts& facts_;
};

std::uint32_t ttl_of(const Policy& policy, std::uint32_t soonest_s, bool any) {
    const auto least = static_cast<std::uint32_t>(policy.ttl_min.count());
    const auto most = static_cast<std::uint32_t>(policy.ttl_max.count());
    return any ? std::clamp(soonest_s, least, most) : most;
}

void take_sticky_bits(const Policy& policy, Plan& plan) {
    for (const Filter& filter : policy.filters) {
        if (filter.kind != FilterKind::sticky) continue;
        plan.sticky_bits_v4 = filter.bits_v4;
        plan.sticky_bits_v6 = filter.bits_v6;
    }
}

}  // namespace

const char* to_string(Precedence precedence) noexcept {
    switch (precedence) {
        case Precedence::override_:
            return "override";
        case Precedence::control:
            return "control";
        case Precedence::health:
            return "health";
        case Precedence::none:
            break;
    }
    return "none";
}

Plan decide(
    const Steering& steering,
    const Policy& policy,
    std::span<const TargetState> states,
    std::span<const SiteIndex> listed,
    std::uint16_t type,
    const Facts& facts,
    Trace* trace
) {
    BASE_CHECK(policy.service < steering.services.size());
    const Service& service = steering.services[policy.service];
    BASE_CHECK(states.size() == service.targets.size());

    const Run run(steering, policy, listed, type, facts);
    const Outcome outcome = run(states, trace);
    const auto turn = run.soonest_turn(states, outcome);
    const bool near = turn.target != nullptr;

    Plan plan = make_plan(outcome, policy, service, type);
    plan.ttl_s = ttl_of(policy, turn.in_s, near);
    plan.client_dependent = run.class_matters();
    plan.ignores_subnet = !policy.use_client_subnet;
    take_sticky_bits(policy, plan);
    plan.lasting =
        std::none_of(service.targets.begin(), service.targets.end(), [&](const Target& target) {
            return has_type(target, type);
        });

    if (trace != nullptr) {
        trace->precedence = run.precedence(states, outcome);
        for (const SiteIndex site : complete(listed, default_order(policy, steering)))
            trace->sites.push_back(steering.sites[site]);
        if (!near)
            trace->ttl_note = "max: no change of health is near";
        else if (turn.in_s == 0)
            trace->ttl_note = "min: the answer changes if " + turn.target->name + " turns";
        else
            trace->ttl_note = "the answer changes if " + turn.target->name +
                              " turns, in no less than " + std::to_string(turn.in_s) + " s";
    }
    return plan;
}

}  // namespace twinsite::gslb::steering
