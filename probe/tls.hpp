// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/ask.hpp"
#include "probe/place.hpp"
#include "probe/probe.hpp"
#include "probe/tls_trust.hpp"

namespace twinsite::probe {

/// Ok when a TLS handshake succeeds and the certificate holds long enough: see TlsAsk.
class TlsProbe final : public Probe {
public:
    TlsProbe(Place place, TlsAsk ask) : place_(std::move(place)), trust_(std::move(ask)) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Place place_;
    TlsTrust trust_;
};

}  // namespace twinsite::probe
