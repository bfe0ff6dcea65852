// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/variant.hpp"

#include <random>

#include <gtest/gtest.h>

#include "base/text/ip.hpp"
#include "gslb/answer/random.hpp"

namespace twinsite::gslb::answer {
namespace {

using steering::Plan;
using steering::PlanMode;

Plan weighted(const std::vector<std::uint32_t>& weights) {
    Plan out;
    out.mode = PlanMode::weighted_one;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const auto address = base::text::IpAddress::from_v4(static_cast<std::uint32_t>(i));
        out.members.push_back({i, {address}, weights[i]});
    }
    return out;
}

/// Chance of each member in 2^32 parts per column, read off the table.
std::vector<double> odds(const VariantSet& set) {
    const Variant& variant = set.variants[0];
    std::vector<double> out(variant.draw_count);
    for (std::uint32_t i = 0; i < variant.draw_count; ++i) {
        const Draw& column = set.draws[variant.first_draw + i];
        const double own = column.threshold == 0xffffffff ? 1 : column.threshold / 4294967296.0;
        out[i] += own / variant.draw_count;
        out[column.alias] += (1 - own) / variant.draw_count;
    }
    return out;
}

TEST(Variant, AliasTableHasTheOddsOfTheWeights) {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::uint32_t> weights(2 + random() % 30);
        double sum = 0;
        for (auto& weight : weights) sum += weight = 1 + random() % (round % 2 == 0 ? 5 : 65535);
        const Plan plans[] = {weighted(weights)};
        const auto found = odds(make_variants(plans));
        for (std::size_t i = 0; i < weights.size(); ++i)
            EXPECT_NEAR(found[i], weights[i] / sum, 1e-8);
    }
}

TEST(Variant, EveryRandomWordDrawsAMember) {
    const Plan plans[] = {weighted({1, 65535, 3})};
    const auto set = make_variants(plans);
    for (const std::uint64_t word :
         {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 32, std::uint64_t{0xffffffff}})
        EXPECT_EQ(set.records(set.variants[0], word).count, 1);
}

TEST(Variant, EqualPlansOfTwoClassesAreStoredOnce) {
    Plan all = weighted({1, 1});
    all.mode = PlanMode::all;
    const Plan plans[] = {all, Plan{}, all};
    const auto set = make_variants(plans);
    EXPECT_EQ(set.variants.size(), 2u);
    EXPECT_EQ(set.by_class, (std::vector<std::uint32_t>{0, 1, 0}));
    EXPECT_EQ(set.variant(2).records.count, 2);
    EXPECT_EQ(set.variant(1).records.count, 0);
}

TEST(Variant, PlanTooLargeForAMessageIsCut) {
    Plan all = weighted(std::vector<std::uint32_t>(5000, 1));
    all.mode = PlanMode::all;
    const auto set = make_variants({&all, 1});
    EXPECT_EQ(set.variants[0].records.count, 60'000 / 16);
    EXPECT_EQ(set.bytes.size(), set.variants[0].records.size_bytes);
}

TEST(Random, BitsAreBalancedAndSeedsDiffer) {
    Random one(1);
    Random two(2);
    int ones = 0;
    for (int i = 0; i < 10'000; ++i) ones += __builtin_popcountll(one.next());
    EXPECT_NEAR(ones, 320'000, 2'500);
    EXPECT_NE(Random(1).next(), two.next());
}

}  // namespace
}  // namespace twinsite::gslb::answer
