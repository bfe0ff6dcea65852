// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "base/text/ip.hpp"
#include "wire/dns/name.hpp"

/// The keys `zones` and `tsig_keys` of gslb.yaml.
namespace twinsite::gslb {

/// A key that two name servers share (RFC 8945).
struct TsigKeyConfig {
    wire::dns::Name name;
    std::string algorithm;    ///< "hmac-sha256", ... one of kTsigAlgorithms
    std::string secret_file;  ///< base64; resolved against the folder of the configuration
};
inline constexpr std::size_t kTsigAlgorithmCount = 4;
extern const std::string_view kTsigAlgorithms[kTsigAlgorithmCount];

/// Another name server. `tsig`: index of Config::tsig_keys.
struct ZonePeerConfig {
    base::net::Endpoint address;
    std::optional<std::size_t> tsig;
};

/// Who may have a zone: all that is given must hold, and at least one is.
struct ZoneAccessConfig {
    std::optional<base::text::IpPrefix> net;
    std::optional<std::size_t> tsig;  ///< index of Config::tsig_keys
};

struct ZoneTransferConfig {
    std::vector<ZoneAccessConfig> allow;
    std::vector<ZonePeerConfig> notify;
    std::uint32_t journal_bytes = 4'194'304;  ///< 0..33554432; 0: no IXFR, whole zones only
};

struct ZoneConfig {
    wire::dns::Name origin;
    std::string file;  ///< resolved against the folder of the configuration; empty: has primaries
    std::vector<ZonePeerConfig> primaries;       ///< empty: the file is the source
    std::optional<ZoneTransferConfig> transfer;  ///< none: nobody may have it

    bool is_secondary() const { return !primaries.empty(); }
};

}  // namespace twinsite::gslb
