// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "base/text/ip.hpp"
#include "gslb/steering/prefix_layers.hpp"
#include "gslb/steering/site_order.hpp"

namespace twinsite::gslb::steering {

/// Delays from sites to networks of clients, measured elsewhere. Makes of them an order of sites
/// for each network. Told the time, from any origin.
class DelayTable {
public:
    static constexpr std::size_t kMaxPrefixes = 200'000;
    /// What is older counts no longer.
    static constexpr std::chrono::hours kHeard{1};
    /// Another site comes first only when it is this much nearer: jitter moves nobody.
    static constexpr double kBetterBy = 0.1;
    static constexpr double kBetterByMs = 3;

    /// False: the table is full. Values are smoothed: each new one counts a third.
    bool report(
        const base::text::IpPrefix& prefix,
        SiteIndex site,
        double rtt_ms,
        std::chrono::milliseconds heard_at
    );
    /// Forgets what is old and settles the orders. True: they are others than before.
    bool settle(std::chrono::milliseconds now);
    /// Of the last settle(). Networks of which only one site is known are not in it.
    const PrefixLayer& layer() const { return layer_; }
    std::size_t size() const { return networks_.size(); }
    /// Sites were renamed or removed.
    void clear() { *this = {}; }

private:
    struct Delay {
        double rtt_ms = 0;
        std::chrono::milliseconds heard_at{};
    };
    struct Network {
        std::map<SiteIndex, Delay> sites;
        SiteOrder order;
    };
    std::map<base::text::IpPrefix, Network> networks_;
    PrefixLayer layer_;
};

}  // namespace twinsite::gslb::steering
