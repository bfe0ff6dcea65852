// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/variant.hpp"

#include <algorithm>
#include <numeric>

#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;

/// With question and OPT these fill a TCP message; a plan with more is cut.
constexpr std::size_t kMaxRecordsBytes = 60'000;

using Rdata = std::vector<std::uint8_t>;
using Rdatas = std::vector<const Rdata*>;

/// One record behind the others; false: it does not fit any more.
bool append_record(
    const Rdata& rdata, std::uint16_t type, std::uint32_t ttl_s, VariantSet& set, Records& to
) {
    const std::size_t size = 12 + rdata.size();
    if (to.size_bytes + size > kMaxRecordsBytes) return false;
    set.bytes.resize(set.bytes.size() + size);
    std::uint8_t* const at = set.bytes.data() + set.bytes.size() - size;
    dns::store16(at, 0xC000 | dns::kHeaderBytes);
    dns::store16(at + 2, type);
    dns::store16(at + 4, dns::kClassIn);
    dns::store32(at + 6, ttl_s);
    dns::store16(at + 10, static_cast<std::uint16_t>(rdata.size()));
    std::copy(rdata.begin(), rdata.end(), at + 12);
    to.size_bytes = static_cast<std::uint16_t>(to.size_bytes + size);
    ++to.count;
    return true;
}

/// Composes the answers of one type into a set.
class Composer {
public:
    Composer(Signing* signing, VariantSet& set) : signing_(signing), set_(set) {}

    Records records(const Rdatas& rdatas, const steering::Plan& plan) {
        Records out;
        out.offset = static_cast<std::uint32_t>(set_.bytes.size());
        for (const Rdata* rdata : rdatas)
            if (!append_record(*rdata, plan.type, plan.ttl_s, set_, out)) break;
        if (signing_ && out.count > 0)
            add_signatures(Rdatas(rdatas.begin(), rdatas.begin() + out.count), plan, out);
        return out;
    }

    /// The same records in `count` turns; turn k begins at record starts[k]. All lie in one run of
    /// records that holds each of them twice.
    std::vector<Records> turns(
        const Rdatas& rdatas, const std::vector<std::size_t>& starts, const steering::Plan& plan
    ) {
        Records whole = records(rdatas, plan);
        std::vector<std::size_t> at;  // of each record, in bytes behind the first
        std::size_t size = 0;
        for (std::size_t i = 0; i < whole.count; ++i) {
            at.push_back(size);
            size += 12 + rdatas[i]->size();
        }
        std::vector<Records> out;
        Records second;
        for (std::size_t i = 0; i + 1 < whole.count; ++i)
            append_record(*rdatas[i], plan.type, plan.ttl_s, set_, second);
        for (const std::size_t start : starts) {
            if (start >= whole.count) break;
            Records turn = whole;
            turn.offset += static_cast<std::uint32_t>(at[start]);
            out.push_back(turn);
        }
        return out;
    }

private:
    /// Equal records have one slot, whatever their order.
    void add_signatures(const Rdatas& rdatas, const steering::Plan& plan, Records& out) {
        zone::Rdatas copies;
        for (const Rdata* rdata : rdatas) copies.push_back(*rdata);
        auto content =
            zone::make_signed_content(plan.type, signing_->original_ttl_s, std::move(copies));
        auto& slots = signing_->slots;
        const auto same = std::find_if(slots.begin(), slots.end(), [&](const SigningSlot& slot) {
            return slot.content.digest == content.digest && slot.ttl_s == plan.ttl_s;
        });
        const auto place = static_cast<std::size_t>(same - slots.begin());
        if (same == slots.end()) slots.push_back({std::move(content), plan.ttl_s});
        out.signature_offset = static_cast<std::uint32_t>(place * signing_->record_bytes);
        out.signature_bytes = signing_->record_bytes;
        out.signature_count = 1;
    }

    Signing* signing_;
    VariantSet& set_;
};

/// part * 2^32 / whole, for part < whole.
std::uint64_t scaled(std::uint64_t part, std::uint64_t whole) {
    while (whole >> 32 != 0) {
        part >>= 1;
        whole >>= 1;
    }
    return std::min<std::uint64_t>((part << 32) / whole, 0xffffffff);
}

/// Fills thresholds and aliases of `draws` so that column i is drawn with weights[i] / sum.
void fill_alias_table(std::span<const std::uint64_t> weights, std::span<Draw> draws) {
    const std::uint64_t count = weights.size();
    std::uint64_t sum = 0;
    for (const std::uint64_t weight : weights) sum += weight;
    // In units in which the mean is `sum`, so that everything stays exact.
    std::vector<std::uint64_t> share(count);
    std::vector<std::uint32_t> small;
    std::vector<std::uint32_t> large;
    for (std::uint32_t i = 0; i < count; ++i) {
        share[i] = weights[i] * count;
        draws[i].alias = i;
        draws[i].threshold = 0xffffffff;
        (share[i] < sum ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
        const std::uint32_t poor = small.back();
        const std::uint32_t rich = large.back();
        small.pop_back();
        draws[poor].threshold = static_cast<std::uint32_t>(scaled(share[poor], sum));
        draws[poor].alias = rich;
        share[rich] -= sum - share[poor];
        if (share[rich] < sum) {
            large.pop_back();
            small.push_back(rich);
        }
    }
}

Rdatas rdatas_of(const steering::Plan& plan, std::span<const std::size_t> members) {
    Rdatas out;
    for (const std::size_t member : members)
        for (const Rdata& rdata : plan.members[member].rdatas) out.push_back(&rdata);
    return out;
}

std::vector<std::size_t> all_members(const steering::Plan& plan) {
    std::vector<std::size_t> out(plan.members.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
}

/// What a draw may fall on, with its odds.
struct Outcomes {
    std::vector<Records> records;
    std::vector<std::uint64_t> weights;

    void add(Records of, std::uint64_t weight) {
        records.push_back(of);
        weights.push_back(weight);
    }
};

Outcomes options_of(const steering::Plan& plan, Composer& composer) {
    Outcomes out;
    for (const auto& option : plan.options)
        out.add(composer.records(rdatas_of(plan, option.members), plan), option.weight);
    if (!plan.options.empty()) return out;
    for (std::size_t i = 0; i < plan.members.size(); ++i) {
        const std::size_t one[] = {i};
        out.add(composer.records(rdatas_of(plan, one), plan), plan.members[i].weight);
    }
    return out;
}

/// Sets of members. Each member is in with its weight / the heaviest, by itself; the heaviest is
/// always in. Up to kMostUncertain that are not always in, each possible set has its exact odds;
/// with more, kSets sets of equal odds hold each member in its proportion, so that what has to be
/// composed and signed stays bounded.
Outcomes subsets_of(const steering::Plan& plan, Composer& composer) {
    constexpr std::size_t kMostUncertain = 6;
    constexpr std::size_t kSets = 64;
    std::uint64_t heaviest = 1;
    for (const auto& member : plan.members)
        heaviest = std::max<std::uint64_t>(heaviest, member.weight);
    std::vector<std::size_t> uncertain;
    for (std::size_t i = 0; i < plan.members.size(); ++i)
        if (plan.members[i].weight < heaviest) uncertain.push_back(i);
    const bool exact = uncertain.size() <= kMostUncertain;
    const std::size_t sets = exact ? std::size_t{1} << uncertain.size() : kSets;
    Outcomes out;
    for (std::size_t set = 0; set < sets; ++set) {
        std::vector<std::size_t> in;
        long double odds = 1;
        for (std::size_t i = 0; i < plan.members.size(); ++i) {
            const std::uint64_t weight = plan.members[i].weight;
            const auto place = std::find(uncertain.begin(), uncertain.end(), i);
            bool is_in = place == uncertain.end();
            if (!is_in && exact) {
                is_in = (set >> (place - uncertain.begin()) & 1) != 0;
                odds *= static_cast<long double>(is_in ? weight : heaviest - weight) /
                        static_cast<long double>(heaviest);
            } else if (!is_in) {
                // An odd step walks through all places, another one for each member.
                const auto step = 2 * static_cast<std::size_t>(place - uncertain.begin()) + 1;
                is_in = (set * step + i) % kSets * heaviest < weight * kSets;
            }
            if (is_in) in.push_back(i);
        }
        const auto weight = static_cast<std::uint64_t>(odds * (1U << 30) + 0.5L);
        if (weight > 0) out.add(composer.records(rdatas_of(plan, in), plan), weight);
    }
    return out;
}

Outcomes turns_of(const steering::Plan& plan, Composer& composer) {
    Outcomes out;
    const auto all = all_members(plan);
    if (plan.take == 0) {
        const Rdatas rdatas = rdatas_of(plan, all);
        std::vector<std::size_t> starts(rdatas.size());
        std::iota(starts.begin(), starts.end(), std::size_t{0});
        for (const Records& turn : composer.turns(rdatas, starts, plan)) out.add(turn, 1);
        return out;
    }
    for (std::size_t begin = 0; begin < all.size(); ++begin) {
        std::vector<std::size_t> taken;
        for (std::size_t i = 0; i < plan.take && i < all.size(); ++i)
            taken.push_back((begin + i) % all.size());
        out.add(composer.records(rdatas_of(plan, taken), plan), 1);
    }
    return out;
}

Outcomes outcomes_of(const steering::Plan& plan, Composer& composer) {
    switch (plan.mode) {
        case steering::PlanMode::weighted_one:
        case steering::PlanMode::sticky_one:
            return options_of(plan, composer);
        case steering::PlanMode::weighted_multi:
            return subsets_of(plan, composer);
        case steering::PlanMode::rotate:
            return turns_of(plan, composer);
        case steering::PlanMode::all:
        case steering::PlanMode::nodata:
            break;
    }
    Outcomes out;
    if (plan.mode == steering::PlanMode::all)
        out.add(composer.records(rdatas_of(plan, all_members(plan)), plan), 1);
    return out;
}

Variant append_variant(const steering::Plan& plan, Signing* signing, VariantSet& set) {
    Variant out;
    if (!plan.lasting) out.negative_ttl_s = plan.ttl_s;
    Composer composer(signing, set);
    const Outcomes outcomes = outcomes_of(plan, composer);
    if (outcomes.records.empty()) return out;
    if (outcomes.records.size() == 1) {
        out.records = outcomes.records[0];
        return out;
    }
    out.first_draw = static_cast<std::uint32_t>(set.draws.size());
    out.draw_count = static_cast<std::uint32_t>(outcomes.records.size());
    for (const Records& records : outcomes.records) set.draws.push_back({0, 0, records});
    if (plan.mode == steering::PlanMode::sticky_one) {
        out.sticky = true;
        out.first_rank = static_cast<std::uint32_t>(set.ranks.size());
        for (const auto& member : plan.members) set.ranks.push_back({member.key, member.weight});
    } else {
        fill_alias_table(outcomes.weights, std::span(set.draws).subspan(out.first_draw));
    }
    return out;
}

}  // namespace

VariantSet make_variants(
    std::span<const steering::Plan> plans, std::size_t class_count, Signing* signing
) {
    VariantSet out;
    std::vector<const steering::Plan*> composed;
    for (const steering::Plan& plan : plans) {
        out.client_dependent |= plan.client_dependent || plan.sticky_bits_v4 != 0;
        out.ignores_subnet |= plan.ignores_subnet;
        out.sticky_bits_v4 = plan.sticky_bits_v4;
        out.sticky_bits_v6 = plan.sticky_bits_v6;
        const auto same = std::find_if(composed.begin(), composed.end(), [&](const auto* other) {
            return *other == plan;
        });
        out.by_class.push_back(static_cast<std::uint32_t>(same - composed.begin()));
        if (same != composed.end()) continue;
        composed.push_back(&plan);
        out.variants.push_back(append_variant(plan, signing, out));
    }
    // Classes that cannot matter have the answer of class 0.
    out.by_class.resize(std::max(out.by_class.size(), class_count), 0);
    return out;
}

}  // namespace twinsite::gslb::answer
