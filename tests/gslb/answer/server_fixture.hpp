// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gslb/answer/answer.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "tests/support/dns_messages.hpp"

namespace twinsite::gslb::answer {

/// A name server without sockets: zone t.example of the specification's section B2 with the sites
/// idc1 and idc2, policy `www` (default order idc2, idc1; 10.1.0.0/16 -> idc1, 10.1.2.0/24 ->
/// idc2), and more policies of its own.
class ServerFixture {
public:
    /// `extra` are more lines of the zone.
    explicit ServerFixture(std::string_view extra = "");

    tests::Reply ask(const tests::Question& question);
    /// The reply's bytes; empty when there is none.
    tests::Bytes ask_raw(std::span<const std::uint8_t> query);
    /// Sets all targets of service `number` (0 web, 1 pool) and publishes.
    void set_health(std::size_t service, std::vector<steering::Health> health);
    /// As above, by target.
    void publish();

    base::text::IpAddress source;  ///< of the next question; 192.0.2.53 at first
    Transport transport = Transport::udp;
    std::uint16_t max_udp_payload = 1232;
    std::size_t reply_buffer_bytes = 65535;
    Counters counters;
    Random random{1};
    ServiceStates states;
    std::unique_ptr<SnapshotBuilder> builder;
    std::shared_ptr<const Snapshot> snapshot;
};

/// "10.1.9.0/24" -> a question of `name` and `type` with that client subnet.
tests::Question with_subnet(
    std::string_view prefix, std::string name = "www.t.example", std::string type = "A"
);

}  // namespace twinsite::gslb::answer
