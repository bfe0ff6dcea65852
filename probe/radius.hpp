// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "probe/ask.hpp"
#include "probe/place.hpp"
#include "probe/probe.hpp"
#include "wire/radius/packet.hpp"

namespace twinsite::probe {

/// Ok when a RADIUS server answers Status-Server (RFC 5997) with Access-Accept or, on an accounting
/// port, Accounting-Response, and proves that it knows the secret.
class RadiusProbe final : public Probe {
public:
    RadiusProbe(Place place, RadiusAsk ask) : place_(std::move(place)), ask_(std::move(ask)) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Place place_;
    const RadiusAsk ask_;
};

/// The request with its Message-Authenticator; empty where the system forbids MD5.
std::vector<std::uint8_t> make_status_request(
    std::uint8_t identifier, const wire::radius::Authenticator& random, const std::string& secret
);
/// Why `datagram` is not the reply to that request of somebody who knows the secret; "" when it is.
std::string status_reply_fault(
    std::span<const std::uint8_t> datagram,
    std::span<const std::uint8_t> request,
    const std::string& secret,
    bool demand_authenticator
);

}  // namespace twinsite::probe
