// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/query_ring.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/gslb/server/server_fixture.hpp"

namespace twinsite::gslb::server {
namespace {

answer::Outcome outcome_of(const tests::Bytes& query) {
    answer::Outcome out;
    out.question_bytes = static_cast<std::uint16_t>(query.size() - 12);
    return out;
}

TEST(QueryRing, KeepsNothingWhenOff) {
    QueryRing ring(0);
    EXPECT_FALSE(ring.is_on());
    EXPECT_TRUE(ring.last(10).empty());
}

TEST(QueryRing, TellsAllThatWasWritten) {
    QueryRing ring(4);
    const auto query = query_of("a", "AAAA", 1);
    auto outcome = outcome_of(query);
    outcome.kind = answer::Outcome::Kind::answer;
    outcome.cookie_valid = true;
    outcome.scope = 24;
    outcome.rcode = 16;
    outcome.client_class = 65'000;
    outcome.steered = 123'456;
    outcome.variant = 7;
    const base::net::Endpoint client{*base::text::parse_ip("2001:db8::1:2"), 65'535};
    ring.add(
        client, answer::Transport::tcp, query, outcome, 40'000, ~std::uint64_t{0}, 4'000'000'000
    );
    const auto records = ring.last(10);
    ASSERT_EQ(records.size(), 1u);
    const auto& record = records[0];
    EXPECT_EQ(record.client, client);
    EXPECT_EQ(record.transport, answer::Transport::tcp);
    EXPECT_EQ(record.time_s, 4'000'000'000);
    EXPECT_EQ(record.reply_bytes, 40'000);
    EXPECT_EQ(record.snapshot, ~std::uint64_t{0});
    EXPECT_EQ(record.type, 28);
    EXPECT_EQ(record.klass, 1);
    EXPECT_EQ(record.name.size(), 15u);
    EXPECT_EQ(record.outcome.kind, answer::Outcome::Kind::answer);
    EXPECT_TRUE(record.outcome.cookie_valid);
    EXPECT_EQ(record.outcome.scope, 24);
    EXPECT_EQ(record.outcome.rcode, 16);
    EXPECT_EQ(record.outcome.client_class, 65'000);
    EXPECT_EQ(record.outcome.steered, 123'456u);
    EXPECT_EQ(record.outcome.variant, 7u);
}

TEST(QueryRing, TheOldestGoFirst) {
    QueryRing ring(4);
    const auto query = query_of("a", "A", 1);
    for (std::uint32_t i = 1; i <= 10; ++i)
        ring.add({}, answer::Transport::udp, query, outcome_of(query), 1, i, i);
    const auto records = ring.last(100);
    ASSERT_EQ(records.size(), 4u);
    EXPECT_EQ(records[0].time_s, 10u);
    EXPECT_EQ(records[3].time_s, 7u);
}

TEST(QueryRing, LongestNameFits) {
    QueryRing ring(1);
    tests::Bytes query(12);
    for (int i = 0; i < 3; ++i) {
        query.push_back(63);
        query.resize(query.size() + 63, 'x');
    }
    query.push_back(61);
    query.resize(query.size() + 61, 'y');
    query.insert(query.end(), {0, 0, 1, 0, 1});
    ring.add({}, answer::Transport::udp, query, outcome_of(query), 1, 1, 1);
    EXPECT_EQ(ring.last(1).at(0).name.size(), 255u);
}

TEST(QueryRing, AReaderNeverSeesHalfAnEntry) {
    QueryRing ring(8);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        // All parts of an entry come from one number.
        for (std::uint32_t i = 1; !stop; ++i) {
            const std::string name(1 + i % 50, static_cast<char>('a' + i % 26));
            auto query = query_of(name, "A", 1);
            auto outcome = outcome_of(query);
            outcome.variant = i;
            ring.add({}, answer::Transport::udp, query, outcome, i & 0xffff, i, i);
        }
    });
    std::size_t seen = 0;
    while (seen < 10'000)
        for (const auto& record : ring.last(8)) {
            ++seen;
            ASSERT_EQ(record.outcome.variant, record.time_s);
            ASSERT_EQ(record.snapshot, record.time_s);
            ASSERT_EQ(record.name.at(0), 1 + record.time_s % 50);
            ASSERT_EQ(record.name.at(1), 'a' + record.time_s % 26);
        }
    stop = true;
    writer.join();
}

}  // namespace
}  // namespace twinsite::gslb::server
