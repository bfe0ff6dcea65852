// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "probe/ask.hpp"
#include "probe/place.hpp"
#include "probe/probe.hpp"

namespace twinsite::probe {

/// Ok when the name server gives the reply that DnsAsk expects, over UDP. One query; a datagram
/// that is no reply to it is not looked at. `note` of the outcome says what came.
class NameServerProbe final : public Probe {
public:
    NameServerProbe(Place place, DnsAsk ask) : place_(std::move(place)), ask_(std::move(ask)) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Place place_;
    const DnsAsk ask_;
};

}  // namespace twinsite::probe
