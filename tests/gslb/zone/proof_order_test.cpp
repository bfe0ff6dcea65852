// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/proof_order.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "wire/dns/name.hpp"
#include "wire/dns/name_key.hpp"

namespace twinsite::gslb::zone {
namespace {

namespace dns = wire::dns;
using dns::Name;

std::string hex(const HashedName& hash) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string out;
    for (const std::uint8_t byte : hash) {
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
    }
    return out;
}

HashedName sha1_of(const std::string& text) {
    return sha1({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

TEST(Sha1, GivesTheValuesOfTheStandard) {
    EXPECT_EQ(hex(sha1_of("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(hex(sha1_of("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    EXPECT_EQ(
        hex(sha1_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    );
    EXPECT_EQ(
        hex(sha1_of(std::string(1'000'000, 'a'))), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"
    );
}

TEST(HashedName, IsThatOfTheExampleInRfc5155) {
    HashParameters parameters;
    parameters.iterations = 12;
    parameters.salt_bytes = 4;
    const std::uint8_t salt[] = {0xaa, 0xbb, 0xcc, 0xdd};
    std::copy_n(salt, 4, parameters.salt.begin());
    const dns::NameKey key = dns::make_key(dns::parse_name("a.example").value());
    // 35mthgpgcu1qg68fab165klnsnk3dpvl in base32hex (appendix A).
    EXPECT_EQ(
        hex(hash_name_of(parameters, key.bytes.data(), key.size)),
        "196dd8c3306783a8190f52c262d2b7e5e836e7f5"
    );
}

OrderKey key_of(const Name& name, std::size_t origin_bytes) {
    const dns::NameKey bytes = dns::make_key(name);
    OrderKey out;
    out.set_name(bytes.bytes.data(), bytes.size, origin_bytes);
    return out;
}

Name random_name(std::mt19937& random, const Name& origin) {
    Name out = origin;
    const std::string alphabet("ab\0\1\xffz-Q", 8);
    for (auto labels = random() % 4; labels > 0; --labels) {
        std::string label;
        for (auto size = 1 + random() % 11; size > 0; --size)
            label += alphabet[random() % (random() % 4 == 0 ? alphabet.size() : 1)];
        out = *out.with_label(label);
    }
    return out;
}

TEST(ProofOrder, FindsTheLastNameNotBehindTheOneAsked) {
    std::mt19937 random(3);
    const Name origin = dns::parse_name("t.example").value();
    for (int round = 0; round < 100; ++round) {
        std::vector<Name> names{origin};
        for (int i = 0; i < 60; ++i) names.push_back(random_name(random, origin));
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        std::vector<ProofOrder::Item> items;
        for (const Name& name : names) {
            const OrderKey key = key_of(name, origin.size_bytes());
            items.push_back(
                {{key.words.begin(), key.words.begin() + static_cast<std::ptrdiff_t>(key.size)},
                 static_cast<Arena::Place>(items.size())}
            );
            if (items.size() > 1) {
                EXPECT_LT(items[items.size() - 2].words, items.back().words);
            }
        }
        const ProofOrder order(std::nullopt, origin.size_bytes(), items);
        for (int i = 0; i < 200; ++i) {
            const Name asked = random_name(random, origin);
            const auto after = std::upper_bound(names.begin(), names.end(), asked);
            EXPECT_EQ(
                order.at_or_before(key_of(asked, origin.size_bytes())),
                static_cast<std::size_t>(after - names.begin()) - 1
            ) << asked.to_string();
        }
    }
}

TEST(ProofOrder, BeforeTheFirstHashComesTheLast) {
    std::vector<ProofOrder::Item> items;
    for (const std::uint64_t first : {2u, 5u, 9u}) items.push_back({{first, 0, 0}, 0});
    const ProofOrder order(HashParameters{}, 3, items);
    OrderKey key;
    key.size = 3;
    const auto found = [&](std::uint64_t first, std::uint64_t second) {
        key.words[0] = first;
        key.words[1] = second;
        key.words[2] = 0;
        return order.at_or_before(key);
    };
    EXPECT_EQ(found(1, 0), 2u);
    EXPECT_EQ(found(2, 0), 0u);
    EXPECT_EQ(found(5, 7), 1u);
    EXPECT_EQ(found(100, 0), 2u);
}

TEST(OrderKey, TakesTheLongestNames) {
    Name name = dns::parse_name("t.example").value();
    while (auto longer = name.with_label(std::string(1, '\0'))) name = *longer;
    const OrderKey key = key_of(name, 11);
    EXPECT_LE(key.size, OrderKey::kMaxWords);
    EXPECT_EQ(key.words[0], 0x0101000101000101u);
}

}  // namespace
}  // namespace twinsite::gslb::zone
