// SPDX-License-Identifier: Apache-2.0
#include "probe/make.hpp"

#include "probe/diameter.hpp"
#include "probe/external.hpp"
#include "probe/http.hpp"
#include "probe/icmp.hpp"
#include "probe/name_server.hpp"
#include "probe/probe.hpp"
#include "probe/radius.hpp"
#include "probe/tcp.hpp"
#include "probe/tls.hpp"

namespace twinsite::probe {

namespace {

using Made = std::unique_ptr<Probe>;

/// One overload for each kind.
struct Maker {
    const Place& place;

    Made operator()(const TcpAsk&) const {
        return std::make_unique<TcpProbe>(TcpProbe::Settings{place.target, place.source});
    }
    Made operator()(const TlsAsk& ask) const { return std::make_unique<TlsProbe>(place, ask); }
    Made operator()(const HttpAsk& ask) const { return std::make_unique<HttpProbe>(place, ask); }
    Made operator()(const DnsAsk& ask) const {
        return std::make_unique<NameServerProbe>(place, ask);
    }
    Made operator()(const DiameterAsk& ask) const {
        return std::make_unique<DiameterProbe>(place, ask);
    }
    Made operator()(const RadiusAsk& ask) const {
        return std::make_unique<RadiusProbe>(place, ask);
    }
    Made operator()(const IcmpAsk& ask) const { return std::make_unique<IcmpProbe>(place, ask); }
    Made operator()(const ExternalAsk& ask) const {
        return std::make_unique<ExternalProbe>(place, ask);
    }
    Made operator()(const PushAsk&) const { return nullptr; }
};

}  // namespace

std::unique_ptr<Probe> make(const Ask& ask, const Place& place) {
    return std::visit(Maker{place}, ask);
}

}  // namespace twinsite::probe
