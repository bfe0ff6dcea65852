// SPDX-License-Identifier: Apache-2.0
#include "gslb/steering/rendezvous.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace twinsite::gslb::steering {
namespace {

std::vector<Ranked> members(const std::vector<std::pair<std::string, std::uint32_t>>& from) {
    std::vector<Ranked> out;
    for (const auto& [name, weight] : from) out.push_back({member_key("group", name), weight});
    return out;
}

std::uint64_t client(std::uint32_t number) {
    return client_key(base::text::IpAddress::from_v4(number << 8), 24);
}

std::size_t chosen(const std::vector<Ranked>& from, std::uint32_t number) {
    return choose_member(from, from.size(), client(number));
}

TEST(Rendezvous, DistanceIsTheLogarithm) {
    for (int i = 1; i < 64; ++i)
        EXPECT_EQ(
            rendezvous::distance(std::uint64_t{1} << i),
            std::uint64_t(64 - i) << rendezvous::kFractionBits
        );
    std::uint64_t word = 1;
    for (int i = 0; i < 10'000; ++i) {
        word = spread(word);
        const double exact = 64 - std::log2(static_cast<double>(word));
        const double found =
            static_cast<double>(rendezvous::distance(word)) / (1 << rendezvous::kFractionBits);
        EXPECT_NEAR(found, exact, 1e-5);
    }
    EXPECT_GE(rendezvous::distance(~std::uint64_t{0}), 1u);
}

/// G-T12: 100,000 networks, weights 50, 30, 20; then one goes and comes back.
TEST(Rendezvous, SharesFollowTheWeightsAndOnlyTheLostMembersClientsMove) {
    constexpr std::uint32_t kNetworks = 100'000;
    const auto all = members({{"a", 50}, {"b", 30}, {"c", 20}});
    const auto two = members({{"b", 30}, {"c", 20}});
    std::vector<double> seen(3);
    std::vector<double> seen_of_two(2);
    for (std::uint32_t i = 0; i < kNetworks; ++i) {
        const std::size_t before = chosen(all, i);
        const std::size_t during = chosen(two, i);
        ++seen[before];
        ++seen_of_two[during];
        if (before != 0) {
            EXPECT_EQ(during + 1, before) << "a client of a member that stayed has moved";
        }
    }
    const auto chi2 = [](const std::vector<double>& found, const std::vector<double>& weights) {
        double sum = 0;
        double out = 0;
        for (const double weight : weights) sum += weight;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double expected = kNetworks * weights[i] / sum;
            out += (found[i] - expected) * (found[i] - expected) / expected;
        }
        return out;
    };
    EXPECT_LT(chi2(seen, {50, 30, 20}), 13.82) << "p > 0.001 for 2 degrees of freedom";
    EXPECT_LT(chi2(seen_of_two, {30, 20}), 10.83) << "p > 0.001 for 1 degree";
}

TEST(Rendezvous, AChangedWeightMovesClientsOnlyToOrFromThatMember) {
    const auto before = members({{"a", 50}, {"b", 30}, {"c", 20}});
    const auto after = members({{"a", 50}, {"b", 60}, {"c", 20}});
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        const std::size_t from = chosen(before, i);
        const std::size_t to = chosen(after, i);
        if (from != to) {
            EXPECT_EQ(to, 1u);
        }
    }
}

TEST(Rendezvous, TheOrderOfMembersDoesNotMatter) {
    std::vector<std::pair<std::string, std::uint32_t>> names;
    for (int i = 0; i < 12; ++i) names.emplace_back("m" + std::to_string(i), 1 + i % 4);
    const auto straight = members(names);
    std::reverse(names.begin(), names.end());
    const auto turned = members(names);
    for (std::uint32_t i = 0; i < 5'000; ++i)
        EXPECT_EQ(straight[chosen(straight, i)].key, turned[chosen(turned, i)].key);
}

TEST(Rendezvous, AddressesOfOneNetworkAreOneClient) {
    using base::text::parse_ip;
    EXPECT_EQ(client_key(*parse_ip("10.1.2.3"), 24), client_key(*parse_ip("10.1.2.200"), 24));
    EXPECT_NE(client_key(*parse_ip("10.1.2.3"), 24), client_key(*parse_ip("10.1.3.3"), 24));
    EXPECT_EQ(
        client_key(*parse_ip("2001:db8:1:2ff::1"), 56),
        client_key(*parse_ip("2001:db8:1:201::2"), 56)
    );
    EXPECT_NE(
        client_key(*parse_ip("2001:db8:1:200::1"), 56),
        client_key(*parse_ip("2001:db8:1:300::1"), 56)
    );
    EXPECT_NE(client_key(*parse_ip("::1"), 128), client_key(*parse_ip("::2"), 128));
    EXPECT_NE(member_key("a", "b"), member_key("b", "a"));
}

/// Numbers that must be the same at every server, whatever built it.
TEST(Rendezvous, KeysAreThoseOfTheFirstRelease) {
    EXPECT_EQ(spread(1), 0x910a2dec89025cc1u);
    EXPECT_EQ(
        client_key(*base::text::parse_ip("10.1.2.3"), 24),
        client_key(*base::text::parse_ip("10.1.2.0"), 24)
    );
}

}  // namespace
}  // namespace twinsite::gslb::steering
