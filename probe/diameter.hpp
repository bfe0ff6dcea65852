// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "probe/ask.hpp"
#include "probe/place.hpp"
#include "probe/probe.hpp"

namespace twinsite::probe {

/// Opens a Diameter link over TCP and asks whether somebody is awake behind it: CER, DWR, then DPR
/// (RFC 6733 sections 5.3 to 5.5). Ok when the answers to the first two have an expected
/// Result-Code. `note` of the outcome is the peer's Origin-Host.
class DiameterProbe final : public Probe {
public:
    DiameterProbe(Place place, DiameterAsk ask) : place_(std::move(place)), ask_(std::move(ask)) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Place place_;
    const DiameterAsk ask_;
    std::uint32_t next_id_ = 1;
};

}  // namespace twinsite::probe
