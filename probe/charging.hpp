// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "probe/probe.hpp"

namespace twinsite::probe {

/// Uses a charging service as a network element would: finds it by DNS, opens a Diameter link
/// (RFC 6733), and charges one session (RFC 8506). Ok when the initial request is answered with
/// Result-Code 2001, nothing less. The session is then ended, and so is the link: a probe leaves
/// nothing behind. `note` of the outcome says who answered, from where.
class ChargingProbe final : public Probe {
public:
    struct Settings {
        std::string question;                         ///< Name of the service.
        std::vector<base::net::Endpoint> servers;     ///< Name servers in this order; at least one.
        std::optional<base::text::IpAddress> source;  ///< Address to ask and call from.
        std::uint16_t port = 3868;
        std::string origin_host;  ///< Two probes that run side by side need two names.
        std::string origin_realm;
        std::string destination_realm;
        std::string subscriber = "8613900000000";  ///< E.164 digits
    };
    /// `seed` makes session ids differ from those of other runs of the program.
    ChargingProbe(Settings settings, std::uint32_t seed)
        : settings_(std::move(settings)), seed_(seed) {}
    boost::asio::awaitable<Outcome> run(std::chrono::milliseconds limit) override;

private:
    const Settings settings_;
    const std::uint32_t seed_;
    std::uint32_t runs_ = 0;
};

}  // namespace twinsite::probe
