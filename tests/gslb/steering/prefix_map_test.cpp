// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/prefix_map.hpp"

#include <algorithm>
#include <ctime>
#include <random>

#include <gtest/gtest.h>

namespace twinsite::gslb::steering {
namespace {

using base::text::Family;
using base::text::IpAddress;
using base::text::IpPrefix;
using base::text::masked;
using base::text::parse_ip;
using base::text::parse_prefix;

constexpr SiteIndex kIdc2 = 0;
constexpr SiteIndex kIdc1 = 1;

PrefixEntry entry(const char* prefix, SiteOrder sites) {
    return {*parse_prefix(prefix), std::move(sites)};
}

struct Found {
    SiteOrder sites;
    unsigned depth;
    bool operator==(const Found&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Found& found) {
    for (const SiteIndex site : found.sites) out << site << ' ';
    return out << "depth " << found.depth;
}

Found find(const PrefixMap& map, const char* client) {
    const auto match = map.find(*parse_ip(client));
    return {map.classes()[match.class_id], match.depth};
}

/// The table and default order of the cases G-T1 and G-T2.
PrefixMap example_map() {
    const std::vector<PrefixEntry> entries{
        entry("10.1.0.0/16", {kIdc1}), entry("10.1.2.0/24", {kIdc2})
    };
    const std::vector<SiteOrder> orders{{kIdc2, kIdc1}};
    return {entries, orders};
}

TEST(PrefixMap, ScopeIsTheWidestUniformBlockOfG_T1) {
    const PrefixMap map = example_map();
    EXPECT_EQ(find(map, "10.1.9.0"), (Found{{kIdc1}, 21}));
    EXPECT_EQ(find(map, "10.1.2.0"), (Found{{}, 24})) << "idc2 first is the default order";
    EXPECT_EQ(find(map, "10.1.3.0"), (Found{{kIdc1}, 24}));
    EXPECT_EQ(find(map, "10.2.0.0"), (Found{{}, 15}));
    EXPECT_EQ(find(map, "192.0.2.0"), (Found{{}, 1}));
}

TEST(PrefixMap, TheOtherFamilyIsNotToldThatTheAnswerIsForEveryClient) {
    EXPECT_EQ(find(example_map(), "2001:db8::"), (Found{{}, 1}));
    const std::vector<SiteOrder> orders{{kIdc2, kIdc1}};
    const PrefixMap same({}, orders);
    EXPECT_EQ(find(same, "2001:db8::"), (Found{{}, 0})) << "all clients are one class";
    EXPECT_EQ(find(same, "10.1.0.0"), (Found{{}, 0}));
}

TEST(PrefixMap, ShortQueriesDecideByTheZeroFilledAddressAsInG_T2) {
    const PrefixMap map = example_map();
    EXPECT_EQ(find(map, "10.1.0.0"), (Found{{kIdc1}, 23}));
    EXPECT_EQ(find(map, "10.0.0.0"), (Found{{}, 16}));
}

TEST(PrefixMap, AnEmptyMapIsOneClassOfDepthZero) {
    const PrefixMap map;
    EXPECT_EQ(find(map, "255.255.255.255"), (Found{{}, 0}));
    EXPECT_EQ(find(map, "ffff:ffff::1"), (Found{{}, 0}));
    EXPECT_EQ(map.classes().size(), 1u);
}

TEST(PrefixMap, FamiliesDoNotMix) {
    const std::vector<PrefixEntry> entries{entry("2001:db8::/32", {1})};
    const PrefixMap map(entries, {});
    EXPECT_EQ(find(map, "2001:db8:ffff::1"), (Found{{1}, 32}));
    EXPECT_EQ(find(map, "2001:db9::"), (Found{{}, 32}));
    EXPECT_EQ(find(map, "2001:dba::"), (Found{{}, 31}));
    EXPECT_EQ(find(map, "32.1.13.184"), (Found{{}, 1}));
}

TEST(PrefixMap, ThePrefixZeroCoversItsFamily) {
    const std::vector<PrefixEntry> entries{entry("0.0.0.0/0", {1}), entry("128.0.0.0/1", {2})};
    const PrefixMap map(entries, {});
    EXPECT_EQ(find(map, "0.0.0.0"), (Found{{1}, 1}));
    EXPECT_EQ(find(map, "255.255.255.255"), (Found{{2}, 1}));
    EXPECT_EQ(find(map, "::"), (Found{{}, 1}));
}

TEST(PrefixMap, SingleAddressesAtBothEndsOfAFamily) {
    const std::vector<PrefixEntry> entries{
        entry("0.0.0.0/32", {1}),
        entry("255.255.255.255/32", {1}),
        entry("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128", {1}),
        entry("::/128", {1})
    };
    const PrefixMap map(entries, {});
    EXPECT_EQ(find(map, "0.0.0.0"), (Found{{1}, 32}));
    EXPECT_EQ(find(map, "0.0.0.1"), (Found{{}, 32}));
    EXPECT_EQ(find(map, "255.255.255.255"), (Found{{1}, 32}));
    EXPECT_EQ(find(map, "::"), (Found{{1}, 128}));
    EXPECT_EQ(find(map, "::1"), (Found{{}, 128}));
    EXPECT_EQ(find(map, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), (Found{{1}, 128}));
    EXPECT_EQ(find(map, "8000::"), (Found{{}, 2}));
}

TEST(PrefixMap, EqualNeighboursAreOneBlock) {
    const std::vector<PrefixEntry> entries{
        entry("10.0.0.0/9", {1}), entry("10.128.0.0/9", {1, 0}), entry("11.0.0.0/8", {1})
    };
    const std::vector<SiteOrder> orders{{0, 1}};
    const PrefixMap map(entries, orders);
    EXPECT_EQ(find(map, "10.200.0.0"), (Found{{1}, 7})) << "1 means 1,0: all three are one class";
    EXPECT_EQ(map.classes().size(), 2u);
}

TEST(PrefixMap, ListsThatDifferUnderOnePolicyStayApart) {
    // For a policy with the default order 1,0 the entry is the default; for 0,1 it is not.
    const std::vector<PrefixEntry> entries{entry("10.0.0.0/8", {1})};
    const std::vector<SiteOrder> one{{1, 0}};
    EXPECT_EQ(find(PrefixMap(entries, one), "10.0.0.0"), (Found{{}, 0}));
    const std::vector<SiteOrder> both{{1, 0}, {0, 1}};
    EXPECT_EQ(find(PrefixMap(entries, both), "10.0.0.0"), (Found{{1}, 8}));
}

TEST(PrefixMap, OfTwoEqualPrefixesTheLaterWins) {
    const std::vector<PrefixEntry> entries{entry("10.0.0.0/8", {1}), entry("10.0.0.0/8", {2})};
    EXPECT_EQ(find(PrefixMap(entries, {}), "10.0.0.0"), (Found{{2}, 8}));
}

/// The slow truth: the longest prefix that contains the client.
SiteOrder naive_sites(const std::vector<PrefixEntry>& entries, const IpAddress& client) {
    const PrefixEntry* best = nullptr;
    for (const PrefixEntry& candidate : entries)
        if (candidate.prefix.contains(client) &&
            (best == nullptr || candidate.prefix.length >= best->prefix.length))
            best = &candidate;
    return best != nullptr ? best->sites : SiteOrder{};
}

/// A block is uniform when its sites are those of every prefix inside, and of the gaps between.
/// The addresses where a class can begin are the firsts of prefixes and those right after them.
bool naive_uniform(
    const std::vector<PrefixEntry>& entries,
    const std::vector<IpAddress>& edges,
    const IpPrefix& block
) {
    const SiteOrder sites = naive_sites(entries, block.address);
    return std::all_of(edges.begin(), edges.end(), [&](const IpAddress& edge) {
        return !block.contains(edge) || naive_sites(entries, edge) == sites;
    });
}

unsigned naive_depth(
    const std::vector<PrefixEntry>& entries,
    const std::vector<IpAddress>& edges,
    const IpAddress& client
) {
    unsigned depth = 0;
    while (!naive_uniform(entries, edges, {masked(client, depth), static_cast<std::uint8_t>(depth)})
    )
        ++depth;
    return depth;
}

/// First address after the prefix (wraps to zero at the end of the family).
IpAddress after(const IpPrefix& prefix) {
    IpAddress out = prefix.address;
    for (unsigned bit = prefix.length; bit > 0; --bit) {
        out.bytes[(bit - 1) / 8] ^= static_cast<std::uint8_t>(0x80u >> ((bit - 1) % 8));
        if ((out.bytes[(bit - 1) / 8] & (0x80u >> ((bit - 1) % 8))) != 0) break;
    }
    return out;
}

/// Random addresses that share few high bits patterns, so that prefixes nest and touch.
IpAddress dense_address(std::mt19937& rng, Family family) {
    IpAddress out;
    out.family = family;
    for (std::size_t i = 0; i < out.size_bytes(); ++i)
        out.bytes[i] = static_cast<std::uint8_t>(rng() % 4 == 0 ? rng() : (rng() % 2) * 255);
    return out;
}

void compare_with_naive_search(unsigned seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const Family family = seed % 2 == 0 ? Family::v4 : Family::v6;
    std::vector<PrefixEntry> entries;
    std::vector<IpAddress> edges;
    const std::size_t count = rng() % 30;
    for (std::size_t i = 0; i < count; ++i) {
        const IpAddress address = dense_address(rng, family);
        const auto length = static_cast<std::uint8_t>(rng() % (address.bits() + 1));
        const IpPrefix prefix{masked(address, length), length};
        entries.push_back({prefix, {static_cast<SiteIndex>(rng() % 3)}});
        edges.push_back(prefix.address);
        edges.push_back(after(prefix));
    }
    const PrefixMap map(entries, {});
    for (int i = 0; i < 60; ++i) {
        const IpAddress client =
            i % 2 == 0 || edges.empty() ? dense_address(rng, family) : edges[rng() % edges.size()];
        const auto match = map.find(client);
        ASSERT_EQ(map.classes()[match.class_id], naive_sites(entries, client)) << to_string(client);
        ASSERT_EQ(match.depth, naive_depth(entries, edges, client)) << to_string(client);
    }
}

TEST(PrefixMap, AgreesWithTheNaiveSearchInClassAndDepth) {
    for (unsigned seed = 0; seed < 100 && !HasFatalFailure(); ++seed)
        compare_with_naive_search(seed);
}

TEST(PrefixMap, BuildsAHundredThousandPrefixesInWellUnderASecond) {
    std::mt19937 rng(1);
    std::vector<PrefixEntry> entries;
    for (int i = 0; i < 100'000; ++i) {
        IpAddress address;
        address.family = i % 4 == 0 ? Family::v6 : Family::v4;
        for (std::size_t k = 0; k < address.size_bytes(); ++k)
            address.bytes[k] = static_cast<std::uint8_t>(rng());
        const auto length = static_cast<std::uint8_t>(
            address.family == Family::v4 ? 8 + rng() % 17 : 20 + rng() % 29
        );
        entries.push_back(
            {{masked(address, length), length},
             {static_cast<SiteIndex>(rng() % 5), static_cast<SiteIndex>(5 + rng() % 5)}}
        );
    }
    const std::clock_t begin = std::clock();
    const PrefixMap map(entries, {});
    const double took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    // Unoptimised with sanitizers it may take longer; quadratic work would take minutes.
    EXPECT_LT(took_s, 10.0);
    RecordProperty("cpu_milliseconds", static_cast<int>(took_s * 1000));
    EXPECT_EQ(map.classes().size(), 26u);
}

}  // namespace
}  // namespace twinsite::gslb::steering
