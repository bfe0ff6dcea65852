// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"

namespace twinsite::slb::proxy {

using std::chrono::milliseconds;

struct BladeSettings {
    std::string name;
    base::net::Endpoint address;
    bool draining = false;  ///< no new sessions; the sessions it has stay

    bool operator==(const BladeSettings&) const = default;
};

/// All that a shard needs to know. Immutable once handed over; a reload hands over another one.
struct Settings {
    // Who we are: fixed while the process lives.
    std::string host;
    std::string realm;
    std::uint32_t state_id = 1;  ///< Origin-State-Id, one for all links and for ever
    /// Application ids we relay; empty: any (we announce the relay application).
    std::vector<std::uint32_t> applications;

    std::vector<base::net::Endpoint> listen;

    // Clients.
    std::uint32_t max_connections = 1024;   ///< 1..65536
    milliseconds client_watchdog{30'000};   ///< Tw of RFC 3539
    std::vector<std::string> client_hosts;  ///< Origin-Hosts let in; empty: all

    // Requests.
    milliseconds request_timeout{700};  ///< per try
    unsigned tries = 3;                 ///< 1..16
    milliseconds suspect_after{400};
    std::uint32_t pending_per_blade = 65536;  ///< 1..65536

    // Sessions.
    std::size_t session_capacity = 1'000'000;
    std::chrono::seconds session_idle{3600};
    std::string balance = "volume";

    // Links to blades.
    milliseconds blade_watchdog{6'000};
    milliseconds reconnect_min{100};
    milliseconds reconnect_max{5'000};
    std::optional<base::text::IpAddress> blade_bind;  ///< source address
    std::vector<BladeSettings> blades;
};

}  // namespace twinsite::slb::proxy
