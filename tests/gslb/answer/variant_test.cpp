// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/variant.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "gslb/answer/random.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

using steering::Plan;
using steering::PlanMode;

Plan weighted(const std::vector<std::uint32_t>& weights) {
    Plan out;
    out.type = wire::dns::type::a;
    out.mode = PlanMode::weighted_one;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const auto low = static_cast<std::uint8_t>(i);
        const auto high = static_cast<std::uint8_t>(i >> 8);
        out.members.push_back({i, {{10, 0, high, low}}, weights[i]});
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

/// First byte of each record's data, in order.
std::string letters(const VariantSet& set, const Records& records) {
    std::string out;
    std::size_t at = records.offset;
    for (int i = 0; i < records.count; ++i) {
        const std::size_t size = std::size_t{set.bytes[at + 10]} << 8 | set.bytes[at + 11];
        out += static_cast<char>(set.bytes[at + 12]);
        at += 12 + size;
    }
    EXPECT_EQ(at, records.offset + records.size_bytes);
    return out;
}

/// Members "a", "b", ... with records of one to three bytes.
Plan lettered(PlanMode mode, const std::vector<std::uint32_t>& weights) {
    Plan out;
    out.mode = mode;
    out.type = wire::dns::type::txt;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const auto letter = static_cast<std::uint8_t>('a' + i);
        out.members.push_back({i, {std::vector<std::uint8_t>(1 + i % 3, letter)}, weights[i]});
    }
    return out;
}

TEST(Variant, RotateBeginsEachTurnAtAnotherRecord) {
    Plan plan = lettered(PlanMode::rotate, {1, 1, 1});
    plan.members[2].rdatas.push_back({'C', 'C'});
    const auto set = make_variants({&plan, 1});
    const Variant& variant = set.variants[0];
    ASSERT_EQ(variant.draw_count, 4u);
    const char* const turns[] = {"abcC", "bcCa", "cCab", "Cabc"};
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(letters(set, set.draws[variant.first_draw + i].records), turns[i]);
    for (const double chance : odds(set)) EXPECT_NEAR(chance, 0.25, 1e-8);
}

TEST(Variant, RotateWithACutTakesAnotherSetEachTurn) {
    Plan plan = lettered(PlanMode::rotate, {1, 1, 1});
    plan.take = 2;
    const auto set = make_variants({&plan, 1});
    const char* const turns[] = {"ab", "bc", "ca"};
    ASSERT_EQ(set.draws.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(letters(set, set.draws[i].records), turns[i]);
}

/// How often each member is in an answer.
std::vector<double> presence(const VariantSet& set, std::size_t members) {
    std::vector<double> out(members);
    const auto chances = odds(set);
    for (std::size_t i = 0; i < chances.size(); ++i)
        for (const char letter : letters(set, set.draws[i].records))
            out[static_cast<std::size_t>(letter - 'a')] += chances[i];
    return out;
}

TEST(Variant, MultiHasEachMemberByItselfWithItsWeightOfTheHeaviest) {
    const Plan plan = lettered(PlanMode::weighted_multi, {50, 100, 25, 100});
    const auto set = make_variants({&plan, 1});
    EXPECT_EQ(set.draws.size(), 4u) << "two members are always in";
    const auto found = presence(set, 4);
    EXPECT_NEAR(found[0], 0.5, 1e-6);
    EXPECT_NEAR(found[1], 1, 1e-6);
    EXPECT_NEAR(found[2], 0.25, 1e-6);
    EXPECT_NEAR(found[3], 1, 1e-6);
}

TEST(Variant, MultiWithManyMembersKeepsTheirProportionsInABoundedTable) {
    std::vector<std::uint32_t> weights;
    for (std::uint32_t i = 0; i < 20; ++i) weights.push_back(5 + 5 * i);
    const Plan plan = lettered(PlanMode::weighted_multi, weights);
    const auto set = make_variants({&plan, 1});
    EXPECT_EQ(set.draws.size(), 64u);
    const auto found = presence(set, 20);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(found[i], weights[i] / 100.0, 1.0 / 64 + 1e-6);
}

TEST(Variant, OptionsAreDrawnAsAWhole) {
    Plan plan = lettered(PlanMode::weighted_one, {1, 1, 1});
    plan.options = {{3, {0, 1}}, {1, {2}}};
    const auto set = make_variants({&plan, 1});
    ASSERT_EQ(set.draws.size(), 2u);
    EXPECT_EQ(letters(set, set.draws[0].records), "ab");
    EXPECT_EQ(letters(set, set.draws[1].records), "c");
    EXPECT_NEAR(odds(set)[0], 0.75, 1e-8);
}

TEST(Variant, StickyChoosesByTheClientsNetwork) {
    Plan plan = lettered(PlanMode::sticky_one, {10, 10, 10});
    for (std::size_t i = 0; i < 3; ++i)
        plan.members[i].key = steering::member_key("g", std::string(1, static_cast<char>('a' + i)));
    plan.sticky_bits_v4 = 24;
    plan.sticky_bits_v6 = 56;
    const auto set = make_variants({&plan, 1}, 5);
    EXPECT_TRUE(set.client_dependent) << "the scope must not be 0";
    EXPECT_EQ(set.by_class, std::vector<std::uint32_t>(5, 0)) << "classes do not matter";
    std::map<std::string, int> seen;
    for (std::uint32_t i = 0; i < 300; ++i) {
        const auto one = base::text::IpAddress::from_v4(0x0a000000 + (i << 8) + 1);
        const auto two = base::text::IpAddress::from_v4(0x0a000000 + (i << 8) + 200);
        const auto& records = set.records_for(set.variants[0], one);
        EXPECT_EQ(&records, &set.records_for(set.variants[0], two));
        ++seen[letters(set, records)];
    }
    EXPECT_EQ(seen.size(), 3u);
    for (const auto& [letter, count] : seen) EXPECT_NEAR(count, 100, 40) << letter;
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
