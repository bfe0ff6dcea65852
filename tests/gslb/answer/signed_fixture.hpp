// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gslb/answer/answer.hpp"
#include "gslb/answer/snapshot_builder.hpp"
#include "gslb/zone/sign_zone.hpp"
#include "tests/support/dns_messages.hpp"

namespace twinsite::gslb::answer {

enum class Signed : std::uint8_t { no, nsec, nsec3 };

/// A name server without sockets and without steering: zone t.example, plain or signed with keys
/// made for it, with aliases of both kinds, wildcards and cuts.
class SignedServer {
public:
    /// `lines` are more lines of the zone.
    explicit SignedServer(Signed how, std::string_view lines = "");
    /// `zone` as it is.
    explicit SignedServer(const zone::ZoneData& zone);

    tests::Reply ask(std::string name, std::string type = "A", bool dnssec_ok = true);
    tests::Bytes ask_raw(std::span<const std::uint8_t> query);

    Transport transport = Transport::tcp;
    std::uint16_t max_udp_payload = 1232;
    Counters counters;
    std::vector<std::string> problems;  ///< of the index; then nothing can be asked

private:
    Random random_{1};
    std::shared_ptr<const Snapshot> snapshot_;
};

/// Its zone, signed or not.
zone::ZoneData make_zone(Signed how, std::string_view lines = "");

}  // namespace twinsite::gslb::answer
