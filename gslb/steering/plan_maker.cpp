// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/plan_maker.hpp"

#include <algorithm>

#include "gslb/steering/records_of.hpp"
#include "gslb/steering/rendezvous.hpp"
#include "gslb/steering/svcb_hints.hpp"

namespace twinsite::gslb::steering {
namespace {

using Rdata = std::vector<std::uint8_t>;
using Kept = Outcome::Kept;

std::uint32_t odds_of(const Chain& chain, SiteIndex site) {
    for (const auto& each : chain.spill)
        if (each.site == site) return each.odds;
    return 0;
}

/// Weights of targets that were drawn over several sites: the odds of the site, divided among its
/// targets by their own weights.
std::vector<Kept> spread_over_sites(const Chain& chain) {
    std::vector<Kept> out;
    for (const std::size_t index : chain.kept) {
        std::uint64_t sum = 0;
        for (const std::size_t other : chain.kept)
            if (chain.target(other).site == chain.target(index).site)
                sum += std::max<std::uint32_t>(chain.target(other).weight, 1);
        const std::uint64_t own = std::max<std::uint32_t>(chain.target(index).weight, 1);
        const std::uint64_t part = odds_of(chain, chain.target(index).site) * own / sum;
        out.push_back({index, static_cast<std::uint32_t>(std::max<std::uint64_t>(part, 1))});
    }
    return out;
}

/// What a target answers; templates of SVCB records without their hints.
std::vector<Rdata> rdatas_of(const Target& target, std::uint16_t type) {
    std::vector<Rdata> out;
    if (is_address(type)) {
        for (const auto& address : target.addresses)
            if (address.family == family_of(type))
                out.emplace_back(
                    address.bytes.begin(),
                    address.bytes.begin() + static_cast<std::ptrdiff_t>(address.size_bytes())
                );
        return out;
    }
    for (const auto& record : target.records)
        if (record.type == type) {
            std::vector<base::text::IpAddress> hints;
            if (record.hints) hints = target.addresses;
            out.push_back(record.hints ? with_hints(record.rdata, hints) : record.rdata);
        }
    return out;
}

/// Records that differ in nothing but their hints become one with the hints of all, at the first
/// member: the addresses in the answer and the hints are then the same.
void merge_hints(const Service& service, std::uint16_t type, std::vector<PlanMember>& members) {
    std::vector<Rdata> done;
    for (std::size_t i = 0; i < members.size(); ++i)
        for (const auto& record : service.targets[members[i].target].records) {
            if (record.type != type || !record.hints) continue;
            if (std::find(done.begin(), done.end(), record.rdata) != done.end()) continue;
            done.push_back(record.rdata);
            std::vector<base::text::IpAddress> hints;
            for (std::size_t k = i; k < members.size(); ++k) {
                const Target& other = service.targets[members[k].target];
                const auto same = std::find(other.records.begin(), other.records.end(), record);
                if (same == other.records.end()) continue;
                hints.insert(hints.end(), other.addresses.begin(), other.addresses.end());
                std::erase(members[k].rdatas, with_hints(record.rdata, other.addresses));
            }
            members[i].rdatas.push_back(with_hints(record.rdata, hints));
        }
    std::erase_if(members, [](const PlanMember& member) { return member.rdatas.empty(); });
}

PlanMode mode_of(Drawing drawing) {
    switch (drawing) {
        case Drawing::weighted:
            return PlanMode::weighted_one;
        case Drawing::multi:
            return PlanMode::weighted_multi;
        case Drawing::sticky:
            return PlanMode::sticky_one;
        case Drawing::rotate:
            return PlanMode::rotate;
        case Drawing::none:
            break;
    }
    return PlanMode::all;
}

std::string_view group_of(const Policy& policy, const Service& service) {
    for (const Filter& filter : policy.filters)
        if (filter.kind == FilterKind::sticky && !filter.group.empty()) return filter.group;
    return service.name;
}

Plan plan_of_last_resort(const Policy& policy, std::uint16_t type) {
    Plan out;
    out.type = is_cname(policy.last_resort) ? wire::dns::type::cname : type;
    PlanMember member;
    member.target = kLastResort;
    member.rdatas = rdatas_of(policy.last_resort, out.type);
    if (member.rdatas.empty()) return out;
    out.members.push_back(std::move(member));
    out.mode = PlanMode::all;
    return out;
}

/// One option for each site that takes a part.
std::vector<PlanOption> options_of(
    const Outcome& outcome, const Service& service, const std::vector<PlanMember>& members
) {
    std::vector<PlanOption> out;
    for (const auto& [site, odds] : outcome.spill) {
        PlanOption option{odds, {}};
        for (std::size_t i = 0; i < members.size(); ++i)
            if (service.targets[members[i].target].site == site) option.members.push_back(i);
        if (!option.members.empty()) out.push_back(std::move(option));
    }
    return out;
}

}  // namespace

Outcome take_outcome(const Chain& chain) {
    Outcome out;
    out.drawing = chain.drawing;
    out.take = chain.take;
    out.spill = chain.spill;
    out.last_resort = chain.last_resort;
    const bool draws = chain.drawing == Drawing::weighted || chain.drawing == Drawing::sticky ||
                       chain.drawing == Drawing::multi;
    if (draws && !chain.spill.empty()) {
        out.kept = spread_over_sites(chain);
        out.spill.clear();
        return out;
    }
    for (const std::size_t index : chain.kept)
        out.kept.push_back({index, draws ? std::max<std::uint32_t>(chain.weight(index), 1) : 1});
    return out;
}

void apply_last_resort(Chain& chain) {
    const Target& resort = chain.policy.last_resort;
    if (is_cname(resort)) {
        for (std::size_t i = 0; i < chain.service.targets.size(); ++i) {
            const TargetState& state = chain.states[i];
            if (word_of(state) == Forced::down) continue;
            if (word_of(state) != Forced::up && state.health == Health::down) continue;
            chain.note(
                "a CNAME is for every type, and " + chain.target(i).name +
                " is left for another one: no data"
            );
            return;
        }
    } else if (!has_type(resort, chain.type)) {
        chain.note("the last resort has no record of this type: no data");
        return;
    }
    chain.last_resort = true;
    chain.note("nothing else is left: the last resort is answered");
}

Plan make_plan(
    const Outcome& outcome, const Policy& policy, const Service& service, std::uint16_t type
) {
    if (outcome.last_resort) return plan_of_last_resort(policy, type);
    Plan plan;
    plan.type = type;
    const std::string_view group = group_of(policy, service);
    const bool sticky = outcome.drawing == Drawing::sticky;
    for (const auto& [index, weight] : outcome.kept) {
        const Target& target = service.targets[index];
        if (is_cname(target)) plan.type = wire::dns::type::cname;
        PlanMember member;
        member.target = index;
        member.rdatas = rdatas_of(target, plan.type);
        member.weight = weight;
        if (sticky) member.key = member_key(group, target.name);
        plan.members.push_back(std::move(member));
    }
    if (plan.members.empty()) return plan;
    plan.mode = mode_of(outcome.drawing);
    plan.take = outcome.take;
    // Two CNAME records at one name are an error (RFC 2181 section 10.1): the first one counts.
    if (plan.type == wire::dns::type::cname && plan.mode != PlanMode::weighted_one &&
        plan.mode != PlanMode::sticky_one && outcome.spill.empty())
        plan.members.resize(1);
    if (!outcome.spill.empty()) {
        plan.mode = PlanMode::weighted_one;
        plan.take = 0;
        plan.options = options_of(outcome, service, plan.members);
        return plan;
    }
    if (plan.mode == PlanMode::all || plan.mode == PlanMode::rotate)
        merge_hints(service, type, plan.members);
    if (plan.members.size() == 1 && plan.mode != PlanMode::rotate) plan.mode = PlanMode::all;
    return plan;
}

}  // namespace twinsite::gslb::steering
