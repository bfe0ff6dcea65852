// SPDX-License-Identifier: Apache-2.0
// Overrides of a group: whatever the order in which members hear of each other's words, they end
// with the same.
#include <algorithm>
#include <array>
#include <random>

#include <gtest/gtest.h>

#include "gslb/control/override_file.hpp"
#include "gslb/control/override_sync.hpp"
#include "gslb/control/overrides.hpp"
#include "tests/gslb/control/two_sites.hpp"

namespace twinsite::gslb::control {
namespace {

using std::chrono::seconds;
using steering::Forced;

/// Words of three operators at three nodes about four objects; no two with one stamp.
std::vector<Override> random_words(std::mt19937& random, int count) {
    const std::array<Forced, 4> states{Forced::none, Forced::up, Forced::down, Forced::drain};
    std::vector<Override> out;
    for (int i = 0; i < count; ++i) {
        Override word;
        word.key = {"ocs", "b" + std::to_string(random() % 4), Scope::global};
        word.state = states[random() % states.size()];
        word.reason = "r" + std::to_string(i);
        word.author = "ann";
        word.set_at = kNoon.wall;
        word.stamp = {random() % 2, random() % 50, "g" + std::to_string(random() % 3)};
        const auto same = [&](const Override& each) { return each.stamp == word.stamp; };
        if (std::none_of(out.begin(), out.end(), same)) out.push_back(word);
    }
    return out;
}

Overrides merged(const std::vector<Override>& words) {
    Overrides out;
    for (const auto& word : words) out.merge(word);
    return out;
}

Overrides merged(Overrides into, const Overrides& from) {
    for (const auto* list : {&from.entries(), &from.marks()})
        for (const auto& each : *list) into.merge(each);
    return into;
}

/// Everything that matters, as text.
std::string text_of(const Overrides& overrides) {
    return encode_overrides(overrides, kNoon);
}

TEST(OverrideMerge, IsCommutativeAssociativeAndIdempotent) {
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
        auto words = random_words(random, 12);
        const auto all = merged(words);
        std::shuffle(words.begin(), words.end(), random);
        EXPECT_EQ(text_of(merged(words)), text_of(all));

        const auto third = static_cast<std::ptrdiff_t>(words.size() / 3);
        const auto a = merged(std::vector(words.begin(), words.begin() + third));
        const auto b = merged(std::vector(words.begin() + third, words.begin() + 2 * third));
        const auto c = merged(std::vector(words.begin() + 2 * third, words.end()));
        EXPECT_EQ(text_of(merged(a, b)), text_of(merged(b, a)));
        EXPECT_EQ(text_of(merged(merged(a, b), c)), text_of(merged(a, merged(b, c))));
        EXPECT_EQ(text_of(merged(a, a)), text_of(a));
        EXPECT_EQ(text_of(merged(all, b)), text_of(all));
        EXPECT_EQ(digest_of(merged(merged(a, b), c)), digest_of(all));
    }
}

TEST(OverrideMerge, TheLaterWordWinsAlsoWhenItIsTheEndOfTheFirst) {
    Override down;
    down.key = {"ocs", "b1"};
    down.state = Forced::down;
    down.stamp = {0, 5, "g1"};
    auto cleared = down;
    cleared.state = Forced::none;
    cleared.stamp.clock = 6;
    Overrides overrides;
    EXPECT_TRUE(overrides.merge(cleared));
    EXPECT_FALSE(overrides.merge(down)) << "heard late, from a member that was away";
    EXPECT_TRUE(overrides.entries().empty());
    EXPECT_EQ(overrides.marks().size(), 1U);
    auto again = down;
    again.stamp.clock = 7;
    EXPECT_TRUE(overrides.merge(again));
    EXPECT_EQ(overrides.entries().size(), 1U);
    EXPECT_TRUE(overrides.marks().empty());
}

TEST(OverrideMerge, WhatExpiredHereDoesNotComeBackFromAPeer) {
    Override drain;
    drain.key = {"ocs", "b1"};
    drain.state = Forced::drain;
    drain.stamp = {0, 5, "g1"};
    drain.expires = kNoon.monotonic + seconds(10);
    Overrides overrides;
    overrides.set(drain);
    EXPECT_EQ(overrides.expire(kNoon.monotonic + seconds(10)).size(), 1U);
    EXPECT_FALSE(overrides.merge(drain));
    EXPECT_TRUE(overrides.entries().empty());
    EXPECT_EQ(digest_of(overrides), digest_of(merged({drain})));
}

TEST(OverrideMerge, AWordForOneNodeStaysThereAndGoesBeforeTheGlobalOne) {
    Overrides overrides;
    Override global;
    global.key = {"ocs", "b1", Scope::global};
    global.state = Forced::down;
    overrides.set(global);
    const auto alone = digest_of(overrides);
    Override here = global;
    here.key.scope = Scope::node;
    here.state = Forced::up;
    overrides.set(here);
    EXPECT_EQ(overrides.forced("ocs", "b1", "east"), Forced::up);
    EXPECT_EQ(digest_of(overrides), alone);
    EXPECT_EQ(page_of(overrides, "", kNoon).entries.size(), 1U);
    overrides.clear(here.key);
    EXPECT_EQ(overrides.forced("ocs", "b1", "east"), Forced::down);
}

TEST(OverrideSync, ManyEntriesComePageByPage) {
    Overrides all;
    for (std::size_t i = 0; i < 2 * wire::group::kMaxOverrides + 7; ++i) {
        Override word;
        word.key = {"s" + std::to_string(i % 10), "b" + std::to_string(i)};
        word.state = i % 3 == 0 ? Forced::none : Forced::down;
        word.stamp = {0, i + 1, "g1"};
        all.set(word);
    }
    Overrides got;
    std::string from;
    int pages = 0;
    for (bool more = true; more; ++pages) {
        const auto page = page_of(all, from, kNoon);
        for (const auto& entry : page.entries) got.merge(from_wire(entry, kNoon));
        more = page.more;
        from = page_key(page.entries.back());
    }
    EXPECT_EQ(pages, 3);
    EXPECT_EQ(digest_of(got), digest_of(all));
    EXPECT_TRUE(page_of(all, from, kNoon).entries.empty());
}

TEST(OverrideSync, TimesTravelAsAgesSoThatAWrongClockDoesNoHarm) {
    Override word;
    word.key = {"ocs", "b1"};
    word.state = Forced::drain;
    word.set_at = kNoon.wall - seconds(30);
    word.expires = kNoon.monotonic + seconds(60);
    word.stamp = {1, 2, "g1"};
    const auto sent = to_wire(word, kNoon);
    EXPECT_EQ(sent.age_ms, 30'000U);
    EXPECT_EQ(sent.left_ms, 60'000U);
    const Moment elsewhere{kNoon.monotonic + seconds(5'000), kNoon.wall - seconds(86'400)};
    const auto heard = from_wire(sent, elsewhere);
    EXPECT_EQ(*heard.expires, elsewhere.monotonic + seconds(60));
    EXPECT_EQ(heard.set_at, elsewhere.wall - seconds(30));
    EXPECT_EQ(heard.stamp, word.stamp);
}

TEST(OverrideFile, StampsScopesAndMarksSurviveARestart) {
    Overrides overrides;
    Override word;
    word.key = {"ocs", "b1", Scope::node};
    word.state = Forced::drain;
    word.reason = "r";
    word.author = "a";
    word.set_at = kNoon.wall;
    word.stamp = {3, 1234567890123456789U, "g1"};
    overrides.set(word);
    word.key = {"ocs", "b2"};
    word.state = Forced::none;
    overrides.set(word);
    const auto text = encode_overrides(overrides, kNoon);
    const auto back = decode_overrides(text, kNoon);
    ASSERT_TRUE(back);
    EXPECT_EQ(encode_overrides(*back, kNoon), text);
    ASSERT_EQ(back->entries().size(), 1U);
    EXPECT_EQ(back->entries()[0].stamp, word.stamp);
    EXPECT_EQ(back->entries()[0].key.scope, Scope::node);
    EXPECT_EQ(back->marks().size(), 1U);
}

TEST(OverrideFile, AnEntryFromBeforeThereWereStampsIsAsOldAsItSays) {
    const auto old = decode_overrides(
        R"({"version":1,"overrides":[{"service":"ocs","object":"b1","state":"down","reason":"r",)"
        R"("author":"a","set_at":"2026-01-01T00:00:00Z"}]})",
        kNoon
    );
    ASSERT_TRUE(old);
    ASSERT_EQ(old->entries().size(), 1U);
    EXPECT_EQ(old->entries()[0].stamp.clock, std::uint64_t{1767225600000} << 16U);
}

}  // namespace
}  // namespace twinsite::gslb::control
