// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
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

/// How a zone is signed here (docs/operator/dnssec.md).
struct DnssecConfig {
    std::string keys;            ///< folder; resolved against that of the configuration
    bool hashed_denial = false;  ///< NSEC3 in place of NSEC
    std::chrono::seconds validity{14 * 86'400};  ///< 1d..60d
    std::chrono::seconds refresh{7 * 86'400};    ///< 1h..validity - 1h; default half of it
    std::chrono::seconds jitter{86'400};         ///< follows from the two above
    std::chrono::seconds dnskey_ttl{3'600};      ///< 1s..7d
    std::chrono::seconds propagation{300};       ///< 0..1d
    std::chrono::seconds ds_ttl{86'400};         ///< 1s..7d
};

struct ZoneConfig {
    wire::dns::Name origin;
    std::string file;  ///< resolved against the folder of the configuration; empty: has primaries
    std::vector<ZonePeerConfig> primaries;       ///< empty: the file is the source
    std::optional<ZoneTransferConfig> transfer;  ///< none: nobody may have it

    bool is_secondary() const { return !primaries.empty(); }
    std::optional<DnssecConfig> dnssec;  ///< none: served as it is
};

}  // namespace twinsite::gslb
