// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/variant.hpp"

#include <algorithm>

#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;
using base::text::IpAddress;

/// With question and OPT these fill a TCP message; a plan with more is cut.
constexpr std::size_t kMaxRecordsBytes = 60'000;

Records append_records(
    std::span<const IpAddress> addresses, std::uint32_t ttl_s, std::vector<std::uint8_t>& bytes
) {
    Records out;
    out.offset = static_cast<std::uint32_t>(bytes.size());
    for (const IpAddress& address : addresses) {
        const std::size_t size = 12 + address.size_bytes();
        if (out.size_bytes + size > kMaxRecordsBytes) break;
        bytes.resize(bytes.size() + size);
        std::uint8_t* const at = bytes.data() + bytes.size() - size;
        dns::store16(at, 0xC000 | dns::kHeaderBytes);
        dns::store16(at + 2, address.size_bytes() == 4 ? dns::type::a : dns::type::aaaa);
        dns::store16(at + 4, dns::kClassIn);
        dns::store32(at + 6, ttl_s);
        dns::store16(at + 10, static_cast<std::uint16_t>(address.size_bytes()));
        dns::copy_short(at + 12, address.bytes.data(), address.size_bytes());
        out.size_bytes = static_cast<std::uint16_t>(out.size_bytes + size);
        ++out.count;
    }
    return out;
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
        draws[poor].threshold = static_cast<std::uint32_t>((share[poor] << 32) / sum);
        draws[poor].alias = rich;
        share[rich] -= sum - share[poor];
        if (share[rich] < sum) {
            large.pop_back();
            small.push_back(rich);
        }
    }
}

Variant append_variant(const steering::Plan& plan, VariantSet& set) {
    Variant out;
    if (!plan.lasting) out.negative_ttl_s = plan.ttl_s;
    if (plan.mode == steering::PlanMode::nodata) return out;
    if (plan.mode == steering::PlanMode::all || plan.members.size() == 1) {
        std::vector<IpAddress> addresses;
        for (const auto& member : plan.members)
            addresses.insert(addresses.end(), member.addresses.begin(), member.addresses.end());
        out.records = append_records(addresses, plan.ttl_s, set.bytes);
        return out;
    }
    out.first_draw = static_cast<std::uint32_t>(set.draws.size());
    out.draw_count = static_cast<std::uint32_t>(plan.members.size());
    std::vector<std::uint64_t> weights;
    for (const auto& member : plan.members) {
        Draw draw;
        draw.records = append_records(member.addresses, plan.ttl_s, set.bytes);
        set.draws.push_back(draw);
        weights.push_back(member.weight);
    }
    fill_alias_table(weights, std::span(set.draws).subspan(out.first_draw));
    return out;
}

}  // namespace

VariantSet make_variants(std::span<const steering::Plan> plans) {
    VariantSet out;
    std::vector<const steering::Plan*> composed;
    for (const steering::Plan& plan : plans) {
        out.client_dependent |= plan.client_dependent;
        const auto same = std::find_if(composed.begin(), composed.end(), [&](const auto* other) {
            return *other == plan;
        });
        out.by_class.push_back(static_cast<std::uint32_t>(same - composed.begin()));
        if (same != composed.end()) continue;
        composed.push_back(&plan);
        out.variants.push_back(append_variant(plan, out));
    }
    return out;
}

}  // namespace twinsite::gslb::answer
