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

}  // namespace
}  // namespace twinsite::slb::proxy::test
