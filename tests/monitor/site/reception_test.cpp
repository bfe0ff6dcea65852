// SPDX-License-Identifier: Apache-2.0
#include "monitor/site/reception.hpp"

#include <string>

#include <gtest/gtest.h>

namespace twinsite::monitor::site {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Taken = Reception::Taken;
using wire::contract::Report;

Report make(const std::string& name, std::uint64_t seq, bool backfill = false) {
    Report out;
    out.site = "east";
    out.name = name;
    out.boot_id = "b";
    out.seq = seq;
    out.age_ms = 10;
    out.backfill = backfill;
    return out;
}

TEST(Reception, AddsTheTimeThatItHeldAReport) {
    Reception reception;
    reception.take(make("a", 1), 100, seconds(1));
    const auto out = reception.release(seconds(3));
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].age_ms, 2'010U);
    EXPECT_TRUE(reception.empty());
    EXPECT_EQ(reception.bytes(), 0U);
}

TEST(Reception, OnlyTheNewestOfAnAgentStaysLive) {
    Reception reception;
    reception.take(make("a", 1), 100, seconds(1));
    reception.take(make("b", 1), 100, seconds(1));
    reception.take(make("a", 2), 100, seconds(2));
    const auto out = reception.release(seconds(2));
    ASSERT_EQ(out.size(), 3U);
    EXPECT_TRUE(out[0].backfill);
    EXPECT_FALSE(out[1].backfill);
    EXPECT_FALSE(out[2].backfill);
}

TEST(Reception, WhatCameBeforeIsNotKeptAgain) {
    Reception reception;
    EXPECT_EQ(reception.take(make("a", 2), 100, seconds(1)), Taken::fresh);
    EXPECT_EQ(reception.take(make("a", 2), 100, seconds(1)), Taken::repeated);
    EXPECT_EQ(reception.take(make("a", 1), 100, seconds(1)), Taken::repeated);
    EXPECT_EQ(reception.take(make("a", 1, true), 100, seconds(1)), Taken::fresh) << "sent late";
    auto restarted = make("a", 1);
    restarted.boot_id = "c";
    EXPECT_EQ(reception.take(restarted, 100, seconds(1)), Taken::fresh);
}

TEST(Reception, IsBounded) {
    Reception reception;
    EXPECT_EQ(reception.take(make("a", 1), Reception::kMaxBytes + 1, seconds(1)), Taken::fresh);
    EXPECT_EQ(reception.take(make("b", 1), 1, seconds(1)), Taken::full);
    reception.release(seconds(1));
    EXPECT_EQ(reception.take(make("b", 1), 1, seconds(1)), Taken::fresh)
        << "a report that was not kept may come again";
}

TEST(Reception, CountsTheAgentsHeardOfLate) {
    Reception reception;
    reception.take(make("a", 1), 1, seconds(1));
    reception.take(make("b", 1), 1, seconds(5));
    EXPECT_EQ(reception.agents(seconds(6), seconds(3)), 1U);
    EXPECT_EQ(reception.agents(seconds(6), seconds(5)), 2U);
}

}  // namespace
}  // namespace twinsite::monitor::site
