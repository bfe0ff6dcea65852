// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/framer.hpp"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "tests/wire/diameter/sample_messages.hpp"

namespace twinsite::wire::diameter {
namespace {

using test::Bytes;
using test::hex;

Bytes message_of(std::uint32_t length, std::uint32_t id) {
    Bytes out(length);
    encode_header({0xc0, 272, 4, id, id}, length, out.data());
    for (std::size_t i = kHeaderBytes; i < length; ++i) out[i] = static_cast<std::uint8_t>(id + i);
    return out;
}

std::vector<Bytes> drain(Framer& framer) {
    std::vector<Bytes> out;
    while (const auto message = framer.next()) out.emplace_back(message->begin(), message->end());
    return out;
}

TEST(Framer, GivesAllMessagesOfOneReadAndKeepsThePart) {
    const auto ccr = hex(test::kSessionSecond);
    for (std::size_t part = 1; part < ccr.size(); ++part) {
        Framer framer;
        Bytes stream;
        for (int i = 0; i < 3; ++i) stream.insert(stream.end(), ccr.begin(), ccr.end());
        stream.insert(stream.end(), ccr.begin(), ccr.begin() + static_cast<std::ptrdiff_t>(part));
        framer.feed(stream);
        EXPECT_EQ(drain(framer), std::vector<Bytes>(3, ccr));
        for (std::size_t i = part; i < ccr.size(); ++i) {
            EXPECT_FALSE(framer.next());
            framer.feed({&ccr[i], 1});
        }
        EXPECT_EQ(drain(framer), std::vector<Bytes>(1, ccr)) << "once, after its last byte";
        EXPECT_EQ(framer.buffered_bytes(), 0U);
    }
}

TEST(Framer, ReportsALengthBelowTheHeaderAndStaysThere) {
    Framer framer;
    framer.feed(hex(test::kLengthFive));
    EXPECT_FALSE(framer.next());
    EXPECT_EQ(framer.fault(), Errc::bad_length);
    EXPECT_EQ(framer.rest().size(), 20U);
    framer.feed(message_of(20, 1));
    EXPECT_FALSE(framer.next());
    framer.reset();
    framer.feed(message_of(20, 1));
    EXPECT_TRUE(framer.next());
}

TEST(Framer, ReportsALengthThatIsNoMultipleOfFourAfterTheMessagesBeforeIt) {
    Framer framer;
    framer.feed(message_of(24, 1));
    framer.feed(hex(test::kLengthThirtyOne));
    EXPECT_EQ(drain(framer).size(), 1U);
    EXPECT_EQ(framer.fault(), Errc::bad_length);
    EXPECT_EQ(HeaderView(framer.rest()).command(), command::kDeviceWatchdog);
}

TEST(Framer, JudgesTheLengthBeforeTheRestHasArrived) {
    Framer framer;
    framer.feed(hex("01fffffc"));
    EXPECT_FALSE(framer.next());
    EXPECT_EQ(framer.fault(), Errc::too_long);
    EXPECT_LT(framer.capacity_bytes(), 64U * 1024) << "a claim alone buys no memory";
}

TEST(Framer, HoldsOneMessageOfTheLargestSizeInASmallBuffer) {
    Framer framer({.max_message_bytes = 64 * 1024, .initial_bytes = 4096, .max_buffer_bytes = 4096}
    );
    const auto large = message_of(64 * 1024, 3);
    framer.feed(large);
    EXPECT_EQ(drain(framer), std::vector<Bytes>(1, large));
}

TEST(Framer, GrowsOnlyWhenReadsFillItAndNeverPastItsLimit) {
    Framer framer({.initial_bytes = 8192, .max_buffer_bytes = 32 * 1024});
    for (int i = 0; i < 100; ++i) {
        framer.prepare();
        framer.commit(0);
    }
    EXPECT_EQ(framer.capacity_bytes(), 8192U);
    for (int i = 0; i < 10; ++i) {
        const auto room = framer.prepare();
        std::memset(room.data(), 0, room.size());
        for (std::size_t at = 0; at + 20 <= room.size(); at += 20)
            encode_header({0x80, 280, 0, 1, 1}, 20, room.data() + at);
        const std::size_t whole = room.size() / 20 * 20;
        framer.commit(whole == room.size() ? whole : room.size());
        while (framer.next()) {
        }
        framer.reset();
        framer.prepare();
        framer.commit(0);
        EXPECT_LE(framer.capacity_bytes(), 32U * 1024);
    }
}

TEST(Framer, CutsAnyStreamTheSameWhereverReadsEnd) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<Bytes> sent;
        Bytes stream;
        for (std::uint32_t i = 0; i < 20; ++i) {
            sent.push_back(message_of(20 + 4 * (random() % 3000), i));
            stream.insert(stream.end(), sent.back().begin(), sent.back().end());
        }
        Framer framer({.initial_bytes = 4096, .max_buffer_bytes = 16 * 1024});
        std::vector<Bytes> got;
        for (std::size_t at = 0; at < stream.size();) {
            const auto room = framer.prepare();
            const std::size_t part =
                std::min({room.size(), stream.size() - at, std::size_t{1} + random() % 9000});
            std::memcpy(room.data(), stream.data() + at, part);
            framer.commit(part);
            at += part;
            for (auto& message : drain(framer)) got.push_back(std::move(message));
        }
        ASSERT_EQ(got, sent);
    }
}

TEST(Framer, LetsAMessageBeChangedInPlace) {
    Framer framer;
    framer.feed(message_of(24, 1));
    framer.feed(message_of(24, 2));
    const auto first = framer.next();
    set_hop_by_hop(first->data(), 99);
    const auto second = framer.next();
    EXPECT_EQ(HeaderView(first->data()).hop_by_hop(), 99U);
    EXPECT_EQ(HeaderView(second->data()).hop_by_hop(), 2U);
}

}  // namespace
}  // namespace twinsite::wire::diameter
