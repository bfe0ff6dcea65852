// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "slb/balance/random.hpp"
#include "slb/proxy/poller.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::slb::proxy {

class Link;

/// What all links of one shard share. Owned and used by the shard's thread only.
struct Engine {
    using Time = wire::diameter::Time;

    explicit Engine(std::uint64_t seed) : random(seed) { update_clock(); }

    /// Once per turn: nothing on the request path asks the kernel for the time.
    void update_clock() {
        now = std::chrono::steady_clock::now();
        now_us = static_cast<std::uint32_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count()
        );
    }

    /// One for all connections, since only one is read at a time: it stays in the cache, and
    /// thousands of idle connections cost nothing.
    static constexpr std::size_t kInputBytes = 256 * 1024;

    Poller poller;
    balance::Random random;
    Time now{};
    std::uint32_t now_us = 0;  ///< of `now`; wraps every 71 minutes, only differences count
    std::unique_ptr<std::uint8_t[]> input = std::make_unique<std::uint8_t[]>(kInputBytes);
    std::vector<Link*> dirty;  ///< have something to send at the end of this turn
    std::vector<std::unique_ptr<Watcher>> retired;  ///< deleted at the end of this turn
};

}  // namespace twinsite::slb::proxy
