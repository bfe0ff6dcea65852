// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/config/cursor.hpp"
#include "base/net/endpoint.hpp"
#include "probe/probe.hpp"

namespace twinsite::monitor::site {

/// One outside check.
struct ProbeConfig {
    enum class Kind : std::uint8_t { tcp, http, dns, charging };

    std::string name;
    Kind kind = Kind::tcp;
    std::string subject;  ///< "site:east" or "service:ocs"
    std::string view;     ///< Site whose client it plays; may be empty.
    std::chrono::milliseconds interval{1'000};
    std::chrono::milliseconds timeout{500};
    std::optional<base::text::IpAddress> bind;  ///< Source address.

    base::net::Endpoint address;               ///< tcp, http, dns
    std::string path = "/";                    ///< http
    std::string question;                      ///< dns, charging
    std::vector<base::net::Endpoint> servers;  ///< charging: name servers
    std::uint16_t port = 3868;                 ///< charging
    std::string realm;                         ///< charging
};

std::string_view to_string(ProbeConfig::Kind kind);
ProbeConfig parse_probe(base::config::Cursor at);
/// `node` makes the names of probes of several monitors differ.
std::unique_ptr<probe::Probe> make_probe(const ProbeConfig& config, const std::string& node);

}  // namespace twinsite::monitor::site
