// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "gslb/server/counters.hpp"

namespace twinsite::gslb::server {

class Publisher;

/// What to listen on, and the limits there.
struct ListenSettings {
    std::vector<base::net::Endpoint> addresses;  ///< UDP and TCP on each
    unsigned workers = 1;                        ///< UDP threads per address, 1..64
    std::uint16_t udp_payload_bytes = 1232;      ///< 512..4096
    std::chrono::milliseconds tcp_idle{10'000};
    std::size_t tcp_max_connections =
        4096;  ///< over all addresses; beyond it the longest idle goes
};

/// All DNS sockets of the process and the threads that serve them. The thread that owns it calls
/// everything but totals(), which any thread may call.
class Listeners {
public:
    /// `publisher` outlives this.
    explicit Listeners(Publisher& publisher);
    ~Listeners();  ///< stop()
    Listeners(const Listeners&) = delete;
    Listeners& operator=(const Listeners&) = delete;

    /// Makes the sockets as `settings` say: opens what is new, keeps untouched what is there
    /// already (no query is lost on it), then closes what is gone after it has answered what it
    /// received. On failure returns what is wrong ("cannot listen on 192.0.2.1:53/udp: ...") and
    /// everything stays as it was. From one address to the wildcard of the same port, or back, it
    /// cannot go in one step: the kernel holds them for the same.
    [[nodiscard]] std::optional<std::string> apply(const ListenSettings& settings);

    /// The addresses served, in the order of the settings; with the real port where 0 was asked.
    std::vector<base::net::Endpoint> addresses() const;

    /// Sums over all threads since start; those of closed sockets included.
    Totals totals() const;

    /// Closes the sockets after the queries already received are answered.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace twinsite::gslb::server
