// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "probe/ask.hpp"
#include "probe/place.hpp"
#include "probe/probe.hpp"

namespace twinsite::probe {

/// Ok when an ICMP echo comes back. Uses a ping socket where the system allows us one, else a raw
/// one; when it allows neither, that is a local fault which names both ways out. All probes of the
/// process together send at most kEchoesPerSecond.
class IcmpProbe final : public Probe {
public:
    static constexpr int kEchoesPerSecond = 500;
    IcmpProbe(Place place, IcmpAsk) : place_(std::move(place)) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Place place_;
    std::uint16_t sequence_ = 0;
};

}  // namespace twinsite::probe
