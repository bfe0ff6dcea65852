// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "base/text/ip.hpp"
#include "gslb/transfer/tsig.hpp"
#include "gslb/zone/steered_name.hpp"
#include "gslb/zone/zone_data.hpp"

namespace twinsite::gslb::transfer {

using KeyPointer = std::shared_ptr<const TsigKey>;

/// Another name server; `key` null: unsigned.
struct Peer {
    base::net::Endpoint address;
    KeyPointer key;
};

/// Who may have a zone: address and key must both fit. Without a prefix any address does; without
/// a key only an unsigned request.
struct AccessRule {
    std::optional<base::text::IpPrefix> prefix;
    KeyPointer key;
};

/// One zone as the transfers see it.
struct ZoneSettings {
    wire::dns::Name origin;
    std::vector<Peer> primaries;  ///< not empty: a secondary
    bool transferable = false;    ///< somebody may have it, or is told of it
    std::vector<AccessRule> allow;
    std::vector<Peer> notify;
    std::size_t journal_bytes = 0;
    /// As answered now; null: not available.
    std::shared_ptr<const zone::ZoneData> served;
};

struct Settings {
    std::string state_directory;
    std::vector<KeyPointer> keys;
    std::vector<ZoneSettings> zones;
    /// All steered names: a zone that comes in must go together with them.
    std::vector<zone::SteeredName> steered;
};

}  // namespace twinsite::gslb::transfer
