// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/key_book.hpp"

#include <set>

#include <gtest/gtest.h>

#include "gslb/zone/key_book_file.hpp"
#include "gslb/zone/sign_zone.hpp"
#include "tests/gslb/zone/signing_fixture.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {
namespace {

namespace type = wire::dns::type;
using test::kNow;
using wire::dns::parse_name;
using Secret = std::shared_ptr<const base::crypto::EcdsaKey>;

const wire::dns::Name kZone = *parse_name("example.net.");

/// A book with its private keys, and the zone as each of its states signs it.
class Keeper {
public:
    explicit Keeper(std::size_t keys) {
        std::vector<base::crypto::EcdsaPublicKey> publics;
        for (std::size_t i = 0; i < keys; ++i) publics.push_back(add());
        book = make_key_book(kZone, publics, kNow);
    }

    base::crypto::EcdsaPublicKey add() {
        secrets_.push_back(
            std::make_shared<const base::crypto::EcdsaKey>(*base::crypto::EcdsaKey::generate())
        );
        return secrets_.back()->public_key();
    }
    KeySet set() const {
        return make_key_set(book, [this](const BookedKey& key) -> Secret {
            for (const auto& secret : secrets_)
                if (secret->public_key() == key.public_key) return secret;
            return nullptr;
        });
    }
    /// Takes the step, which must be possible.
    void step(UnixTime at, bool ds_seen = false) {
        auto next = next_step(book, times, at, ds_seen);
        ASSERT_TRUE(std::holds_alternative<KeyBook>(next)) << std::get<std::string>(next);
        book = std::get<KeyBook>(std::move(next));
    }
    std::string refusal(UnixTime at, bool ds_seen = false) const {
        const auto next = next_step(book, times, at, ds_seen);
        return std::holds_alternative<std::string>(next) ? std::get<std::string>(next) : "";
    }
    void roll(KeyRole role) {
        auto next = begin_roll(book, role, add(), kNow, false);
        ASSERT_TRUE(std::holds_alternative<KeyBook>(next)) << std::get<std::string>(next);
        book = std::get<KeyBook>(std::move(next));
    }
    ZoneData sign() const {
        SignParameters how;
        how.times.now = kNow;
        auto made = sign_zone(test::load_zone("www IN A 192.0.2.1\n"), set(), how);
        EXPECT_EQ(made.problem, "");
        return made.zone ? *std::move(made.zone) : ZoneData{};
    }

    KeyBook book;
    RollTimes times;

private:
    std::vector<Secret> secrets_;
};

/// Tags of the keys that signed the RRset.
std::set<std::uint16_t> signers(const ZoneData& zone, const char* owner, std::uint16_t rr_type) {
    std::set<std::uint16_t> out;
    for (const auto& rdata : test::signatures_of(zone, owner, rr_type))
        out.insert(decode_signature(rdata, kNow)->tag);
    return out;
}

std::set<std::uint16_t> published(const KeySet& set) {
    std::set<std::uint16_t> out;
    for (const auto& key : set.keys)
        if (key.published) out.insert(key.tag());
    return out;
}

std::set<std::uint16_t> announced(const KeySet& set) {
    std::set<std::uint16_t> out;
    for (const auto& key : set.keys)
        if (key.announced) out.insert(key.tag());
    return out;
}

/// A validator may hold the DNSKEY set of the state before and the data of this one, or the other
/// way round, and the DS of either: all must fit.
void expect_no_gap(const ZoneData& before, const ZoneData& after) {
    const auto keys_of = [](const ZoneData& zone) {
        std::set<std::vector<std::uint8_t>> out;
        const auto* set = test::find_set(zone, "example.net.", type::dnskey);
        out.insert(set->rdatas.begin(), set->rdatas.end());
        return out;
    };
    for (const auto& [keys, data] : {std::pair(&before, &after), std::pair(&after, &before)}) {
        std::set<std::uint16_t> tags;
        for (const auto& rdata : keys_of(*keys)) {
            ZoneKey key;
            key.flags = static_cast<std::uint16_t>(rdata[0] << 8 | rdata[1]);
            std::copy(rdata.begin() + 4, rdata.end(), key.public_key.begin());
            tags.insert(key.tag());
        }
        bool fits = false;
        for (const auto tag : signers(*data, "www.example.net.", type::a))
            fits |= tags.contains(tag);
        EXPECT_TRUE(fits);
    }
}

TEST(KeyBook, NewBooksHaveTwoKeysOrOne) {
    Keeper two(2);
    EXPECT_EQ(find_fault(two.book), "");
    EXPECT_EQ(two.book.keys[0].role, KeyRole::ksk);
    EXPECT_EQ(two.book.keys[0].flags(), 257);
    EXPECT_EQ(two.book.keys[1].flags(), 256);
    Keeper one(1);
    EXPECT_EQ(find_fault(one.book), "");
    EXPECT_EQ(one.book.keys[0].role, KeyRole::csk);
    EXPECT_EQ(test::judge(one.sign(), kNow), std::vector<std::string>{});
}

TEST(KeyBook, AZskIsPublishedThenUsedThenTheOldOneGoes) {
    Keeper keeper(2);
    const auto old = keeper.book.keys[1].tag();
    auto before = keeper.sign();
    keeper.roll(KeyRole::zsk);
    const auto fresh = keeper.book.roll->new_tag;
    EXPECT_TRUE(published(keeper.set()).contains(fresh));
    EXPECT_EQ(signers(keeper.sign(), "www.example.net.", type::a), std::set{old});
    EXPECT_EQ(
        keeper.refusal(kNow + 3'899),
        "waits until every cache knows key " + std::to_string(fresh) + ": another 1s"
    );
    expect_no_gap(before, keeper.sign());

    before = keeper.sign();
    keeper.step(kNow + 3'900);
    EXPECT_EQ(signers(keeper.sign(), "www.example.net.", type::a), std::set{fresh});
    EXPECT_EQ(published(keeper.set()).size(), 3) << "signatures of the old one are in caches";
    expect_no_gap(before, keeper.sign());
    EXPECT_NE(keeper.refusal(kNow + 3'900 + 86'699), "");

    before = keeper.sign();
    keeper.step(kNow + 3'900 + 86'700);
    EXPECT_FALSE(keeper.book.roll);
    EXPECT_FALSE(published(keeper.set()).contains(old));
    EXPECT_EQ(find_fault(keeper.book), "");
    EXPECT_EQ(test::judge(keeper.sign(), kNow), std::vector<std::string>{});
}

TEST(KeyBook, AKskSignsTogetherWithTheOldOneUntilTheParentHasChanged) {
    Keeper keeper(2);
    const auto old = keeper.book.keys[0].tag();
    keeper.roll(KeyRole::ksk);
    const auto fresh = keeper.book.roll->new_tag;
    const std::set both{old, fresh};
    EXPECT_EQ(signers(keeper.sign(), "example.net.", type::dnskey), both);
    EXPECT_EQ(announced(keeper.set()), std::set{old}) << "not every cache knows the new one";

    keeper.step(kNow + 3'900);
    EXPECT_EQ(keeper.book.roll->step, RollStep::announce);
    EXPECT_EQ(announced(keeper.set()), std::set{fresh});
    EXPECT_EQ(signers(keeper.sign(), "example.net.", type::cds), both);
    EXPECT_EQ(
        keeper.refusal(kNow + 1'000'000),
        "waits until the parent's DS shows key " + std::to_string(fresh) + " and no longer key " +
            std::to_string(old) + "; then say so"
    );

    keeper.step(kNow + 10'000, true);
    EXPECT_EQ(signers(keeper.sign(), "example.net.", type::dnskey), both);
    EXPECT_NE(keeper.refusal(kNow + 10'000 + 86'699), "");
    keeper.step(kNow + 10'000 + 86'700);
    EXPECT_FALSE(keeper.book.roll);
    EXPECT_EQ(signers(keeper.sign(), "example.net.", type::dnskey), std::set{fresh});
    EXPECT_EQ(announced(keeper.set()), std::set{fresh});
    EXPECT_EQ(find_fault(keeper.book), "");
}

TEST(KeyBook, ACskChangesTheParentFirstAndThenTheData) {
    Keeper keeper(1);
    const auto old = keeper.book.keys[0].tag();
    keeper.roll(KeyRole::csk);
    const auto fresh = keeper.book.roll->new_tag;
    UnixTime at = kNow;
    keeper.step(at += 3'900);
    keeper.step(at, true);
    EXPECT_EQ(signers(keeper.sign(), "www.example.net.", type::a), std::set{old});
    auto before = keeper.sign();
    keeper.step(at += 86'700);
    EXPECT_EQ(keeper.book.roll->step, RollStep::retire);
    EXPECT_EQ(signers(keeper.sign(), "www.example.net.", type::a), std::set{fresh});
    expect_no_gap(before, keeper.sign());
    keeper.step(at += 86'700);
    EXPECT_EQ(published(keeper.set()), std::set{fresh});
}

TEST(KeyBook, EveryStateOfEveryChangeIsWholeAndComesBackFromDisk) {
    for (const auto& [keys, role] :
         {std::pair(2, KeyRole::zsk), std::pair(2, KeyRole::ksk), std::pair(1, KeyRole::csk)}) {
        Keeper keeper(static_cast<std::size_t>(keys));
        keeper.roll(role);
        UnixTime at = kNow;
        while (keeper.book.roll) {
            EXPECT_EQ(find_fault(keeper.book), "");
            const auto again = decode_key_book(encode_key_book(keeper.book));
            ASSERT_TRUE(std::holds_alternative<KeyBook>(again)) << std::get<std::string>(again);
            EXPECT_EQ(std::get<KeyBook>(again), keeper.book);
            EXPECT_EQ(test::judge(keeper.sign(), kNow), std::vector<std::string>{});
            keeper.step(at += 100'000, true);
        }
    }
}

TEST(KeyBook, OneChangeAtATime) {
    Keeper keeper(2);
    keeper.roll(KeyRole::zsk);
    const auto second = begin_roll(keeper.book, KeyRole::ksk, keeper.add(), kNow, false);
    EXPECT_EQ(std::get<std::string>(second), "a change of zsk goes on already");
    const auto none = begin_roll(Keeper(2).book, KeyRole::csk, keeper.add(), kNow, false);
    EXPECT_EQ(std::get<std::string>(none), "the zone has no csk");
}

TEST(KeyBook, ACancelledChangeLeavesTheBookAsItWas) {
    Keeper keeper(2);
    const auto before = keeper.book;
    keeper.roll(KeyRole::ksk);
    EXPECT_EQ(std::get<KeyBook>(cancel_roll(keeper.book)), before);
    keeper.step(kNow + 3'900);
    EXPECT_EQ(
        std::get<std::string>(cancel_roll(keeper.book)),
        "the parent's DS may show the new key already: it must stay"
    );
    EXPECT_EQ(std::get<std::string>(cancel_roll(before)), "no change of key goes on");
}

TEST(KeyBookFile, WhatIsBrokenIsRefusedWithAReason) {
    const auto wrong = [](const std::string& text) {
        const auto read = decode_key_book(text);
        return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "";
    };
    EXPECT_EQ(wrong("{").substr(0, 9), "not JSON:");
    EXPECT_EQ(wrong("[]"), "an object is missing");
    EXPECT_EQ(wrong(R"({"version": 2})"), "'version' must be 1");
    EXPECT_EQ(
        wrong(R"({"version":1,"zone":"a.","keys":[]})"), "0 active keys sign data; it must be one"
    );
    auto text = encode_key_book(Keeper(1).book);
    text.replace(text.find("csk"), 3, "xsk");
    EXPECT_EQ(wrong(text), "'role' has an unknown value");
    auto other = encode_key_book(Keeper(1).book);
    other.replace(other.find("\"tag\":") + 6, 1, "9");
    EXPECT_NE(wrong(other), "");
}

TEST(KeyBookFile, NamesOfFilesAreSafe) {
    EXPECT_EQ(key_book_file(*parse_name("Example.NET")), "example.net.keys.json");
    EXPECT_EQ(secret_file(kZone, 77), "example.net.+013+00077.pem");
    EXPECT_EQ(premade_file(*parse_name("a/b.c")), "a%2Fb.c.signatures");
}

}  // namespace
}  // namespace twinsite::gslb::zone
