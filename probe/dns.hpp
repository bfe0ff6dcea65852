// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/net/endpoint.hpp"
#include "probe/probe.hpp"

namespace twinsite::probe {

/// Ok when the name server answers the question for IPv4 addresses with at least one. `note` of the
/// outcome lists them.
class DnsProbe final : public Probe {
public:
    struct Settings {
        base::net::Endpoint server;
        std::optional<base::text::IpAddress> source;  ///< Address to ask from.
        std::string question;                         ///< "ocs.example.net"
    };
    explicit DnsProbe(Settings settings) : settings_(std::move(settings)) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Settings settings_;
};

}  // namespace twinsite::probe
