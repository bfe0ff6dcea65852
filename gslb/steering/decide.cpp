// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/decide.hpp"

#include <algorithm>

#include "base/error/check.hpp"
#include "gslb/steering/chain.hpp"

namespace twinsite::gslb::steering {

namespace {

using base::text::Family;

bool has_family(const Target& target, Family family) {
    return std::any_of(target.addresses.begin(), target.addresses.end(), [family](const auto& a) {
        return a.family == family;
    });
}

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

void keep_family(Chain& chain) {
    const char* const name = chain.family == Family::v4 ? "IPv4" : "IPv6";
    for (std::size_t i = 0; i < chain.service.targets.size(); ++i) chain.kept.push_back(i);
    chain.keep_if(
        [&](std::size_t index) { return has_family(chain.target(index), chain.family); },
        std::string("has no ") + name + " address"
    );
    if (chain.kept.empty()) chain.note(std::string("no target has an ") + name + " address");
}

void apply(Chain& chain, const Filter& filter) {
    switch (filter.kind) {
        case FilterKind::override_:
            return apply_override(chain);
        case FilterKind::up:
            return apply_up(chain);
        case FilterKind::nearest:
            return apply_nearest(chain, filter);
        case FilterKind::failover:
            return apply_failover(chain, filter);
        case FilterKind::weighted:
            return apply_weighted(chain);
    }
}

/// The outcome of a chain, for comparing.
struct Outcome {
    std::vector<std::size_t> kept;
    bool draw_one = false;
    bool operator==(const Outcome&) const = default;
};

/// One decision without the questions around it (TTL, precedence).
class Run {
public:
    Run(const Steering& steering,
        const Policy& policy,
        std::span<const SiteIndex> listed,
        Family family)
        : steering_(steering),
          policy_(policy),
          service_(steering.services[policy.service]),
          listed_(listed),
          family_(family) {}

    Outcome operator()(std::span<const TargetState> states, Trace* trace = nullptr) const {
        Chain chain{steering_, policy_, service_, states, listed_, family_};
        as_stage(chain, trace, "family", [&] { keep_family(chain); });
        for (const Filter& filter : policy_.filters)
            as_stage(chain, trace, to_string(filter.kind), [&] { apply(chain, filter); });
        return {std::move(chain.kept), chain.draw_one};
    }

    /// The first target whose health is in doubt and would change `outcome` if it turned; null
    /// when there is none.
    const Target* doubtful(std::span<const TargetState> states, const Outcome& outcome) const {
        std::vector<TargetState> other(states.begin(), states.end());
        for (std::size_t i = 0; i < other.size(); ++i) {
            const Health now = states[i].health;
            if (!states[i].pending && now != Health::unknown) continue;
            for (const Health turned : {Health::up, Health::down}) {
                other[i].health = turned;
                if (turned != now && (*this)(other) != outcome) return &service_.targets[i];
            }
            other[i].health = now;
        }
        return nullptr;
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
            reordered |= filter.kind == FilterKind::failover && !filter.order.empty();
            drawn_over_sites |= filter.kind == FilterKind::weighted && !one_site;
        }
        return nearest && !reordered && !drawn_over_sites && site_count() > 1;
    }

private:
    /// Sites that have a target with the family.
    std::size_t site_count() const {
        std::vector<SiteIndex> sites;
        for (const Target& target : service_.targets)
            if (has_family(target, family_)) sites.push_back(target.site);
        std::sort(sites.begin(), sites.end());
        return static_cast<std::size_t>(std::unique(sites.begin(), sites.end()) - sites.begin());
    }

    const Steering& steering_;
    const Policy& policy_;
    const Service& service_;
    std::span<const SiteIndex> listed_;
    Family family_;
};

PlanMember member_of(const Service& service, std::size_t index, Family family) {
    const Target& target = service.targets[index];
    PlanMember out;
    out.target = index;
    // `weighted` lets a weight of 0 through only when all are 0: then all are equal.
    out.weight = std::max<std::uint32_t>(target.weight, 1);
    for (const auto& address : target.addresses)
        if (address.family == family) out.addresses.push_back(address);
    return out;
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
    Family family,
    Trace* trace
) {
    BASE_CHECK(policy.service < steering.services.size());
    const Service& service = steering.services[policy.service];
    BASE_CHECK(states.size() == service.targets.size());

    const Run run(steering, policy, listed, family);
    const Outcome outcome = run(states, trace);
    const Target* const doubtful = run.doubtful(states, outcome);

    Plan plan;
    for (const std::size_t index : outcome.kept)
        plan.members.push_back(member_of(service, index, family));
    if (!plan.members.empty())
        plan.mode = outcome.draw_one ? PlanMode::weighted_one : PlanMode::all;
    const auto ttl = doubtful != nullptr ? policy.ttl_min : policy.ttl_max;
    plan.ttl_s = static_cast<std::uint32_t>(ttl.count());
    plan.client_dependent = run.class_matters();
    plan.lasting =
        std::none_of(service.targets.begin(), service.targets.end(), [&](const Target& target) {
            return has_family(target, family);
        });

    if (trace != nullptr) {
        trace->precedence = run.precedence(states, outcome);
        for (const SiteIndex site : complete(listed, default_order(policy, steering)))
            trace->sites.push_back(steering.sites[site]);
        trace->ttl_note = doubtful != nullptr
                              ? "min: the answer changes if " + doubtful->name + " turns"
                              : "max: no change of health is near";
    }
    return plan;
}

}  // namespace twinsite::gslb::steering
