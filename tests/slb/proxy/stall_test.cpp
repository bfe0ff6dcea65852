// SPDX-License-Identifier: Apache-2.0
// Peers that stop reading or answering, and what is queued for them meanwhile.
#include <sys/socket.h>

#include "slb/proxy/blade_link.hpp"
#include "tests/slb/proxy/scripted_peer.hpp"

namespace twinsite::slb::proxy::test {
namespace {

constexpr std::size_t kMegabyte = 1024 * 1024;

/// Bytes that wait for a blade because the kernel takes no more.
std::size_t waiting_for_blade(Site& site, std::size_t number) {
    return site.shard().relay().blades()[number - 1]->waiting_bytes();
}

TEST(Stall, ABladeThatReadsAgainGetsNewSessionsAgain) {
    Site site(1, [](Settings& settings) {
        settings.suspect_after = 100ms;
        settings.request_timeout = 20'000ms;
    });
    auto client = site.connect();
    site.blade(1).mute(true);
    // A little more than makes it crowded, so that its first read takes it below at once.
    std::uint32_t sent = 0;
    while (waiting_for_blade(site, 1) <= kMegabyte && sent < 2'000) {
        client->send(make_ccr("s;" + std::to_string(sent), sent, sent, 1, 30'000));
        ++sent;
        site.step();
    }
    ASSERT_GT(waiting_for_blade(site, 1), kMegabyte);
    ASSERT_TRUE(site.until([&] { return site.status(1).link == "suspect"; }));
    site.blade(1).answer_by_itself(true);
    site.blade(1).mute(false);
    ASSERT_TRUE(site.until([&] { return site.shard().status().pending == 0; }));
    site.run_for(10ms);
    client->messages().clear();
    client->send(make_ccr("new", 1, 1, 1));
    ASSERT_TRUE(site.until_messages(*client, 1));
    EXPECT_EQ(client->take()->result(), 2001u);
}

TEST(Stall, AClientThatOnlySendsWatchdogsAndReadsNothingIsNotReadEither) {
    Site site(1);
    auto client = site.connect();
    const int small = 64 * 1024;
    ::setsockopt(client->fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    client->mute(true);
    Bytes dwrs;
    for (std::uint32_t i = 0; i < 1'000; ++i)
        dia::build_dwr(dwrs, identity("c.test.example"), i, i);
    std::size_t sent = 0;
    while (!client->unsent() && sent < 32 * kMegabyte) {
        client->send(dwrs);
        sent += dwrs.size();
        site.step();
    }
    EXPECT_TRUE(client->unsent()) << "back-pressure must reach the client";
    site.run_for(10ms);
    std::size_t queued = 0;
    site.shard().relay().clients().for_each([&](ClientLink& link) {
        queued += link.waiting_bytes();
    });
    EXPECT_GT(queued, 0u);
    EXPECT_LT(queued, 4 * kMegabyte);
    // It reads again, and is read again.
    client->mute(false);
    EXPECT_TRUE(site.until([&] { return client->messages().size() > 10'000; }));
}

TEST(Stall, ABladeThatAsksAndNeverReadsTheAnswersIsCutOff) {
    Site site(1);
    site.blade(1).mute(true);
    // Our answers repeat the Session-Id.
    const auto request = make_ccr(std::string(60'000, 's'), 1, 1);
    int sent = 0;
    while (site.status(1).link == "open" && sent < 3'000) {
        site.blade(1).wire().send(request);
        ++sent;
        site.step();
    }
    EXPECT_NE(site.status(1).link, "open");
    site.blade(1).kill();
}

TEST(Stall, RequestsBehindOneWithoutTriesLeftStillMoveOnSuspicion) {
    Site site(2, [](Settings& settings) {
        settings.suspect_after = 50ms;
        settings.request_timeout = 4'000ms;
        settings.tries = 2;
        settings.balance = "round_robin";
    });
    auto client = site.connect();
    client->send(make_ccr("spent", 1, 1, 1));
    ASSERT_TRUE(site.until([&] {
        return site.blade(1).requests().size() + site.blade(2).requests().size() == 1;
    }));
    const std::size_t first = site.blade(1).requests().empty() ? 2 : 1;
    const std::size_t second = 3 - first;
    ASSERT_TRUE(site.until_requests(site.blade(second), 1)) << "its second and last try";
    site.blade(first).requests().clear();
    site.blade(first).answer_by_itself(true);
    std::uint32_t sent = 0;
    ASSERT_TRUE(site.until([&] {
        if (site.blade(second).requests().size() >= 2) return true;
        ++sent;
        client->send(make_ccr("new;" + std::to_string(sent), sent, sent, 1));
        return false;
    }));
    // All but the first are answered by the other blade, long before their time is over.
    ASSERT_TRUE(site.until_messages(*client, sent));
    EXPECT_EQ(site.status(second).counters.timeouts, 0u);
    EXPECT_EQ(site.status(second).pending, 1u);
}

TEST(Stall, WhatWasGivenUpIsNotSentWhenTheBladeWakes) {
    Site site(1, [](Settings& settings) {
        settings.suspect_after = 100ms;
        settings.request_timeout = 700ms;
        settings.tries = 1;
    });
    auto client = site.connect();
    site.blade(1).mute(true);
    std::uint32_t sent = 0;
    while (waiting_for_blade(site, 1) <= kMegabyte && sent < 2'000) {
        client->send(make_ccr("s;" + std::to_string(sent), sent, sent, 1, 30'000));
        ++sent;
        site.step();
    }
    ASSERT_GT(waiting_for_blade(site, 1), kMegabyte / 2);
    ASSERT_TRUE(site.until([&] { return site.shard().status().pending == 0; }));
    EXPECT_EQ(site.status(1).link, "suspect");
    EXPECT_LT(waiting_for_blade(site, 1), 64u * 1024) << "at most the message half sent";
}

}  // namespace
}  // namespace twinsite::slb::proxy::test
