// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "gslb/zone/key_set.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

/// Seconds since 1970 by the wall clock: what RRSIGs speak of (RFC 4034 section 3.1.5).
using UnixTime = std::int64_t;

/// When signatures made now begin and end.
struct SignatureTimes {
    UnixTime now = 0;
    std::chrono::seconds inception_offset{3600};  ///< back-dated: for clocks that go slow
    std::chrono::seconds validity{14 * 86'400};
    /// Each RRset's end comes earlier by a share of this that its name decides, so that not all are
    /// due at once.
    std::chrono::seconds jitter{86'400};
    /// A signature is made anew when less than this is left.
    std::chrono::seconds refresh{7 * 86'400};

    UnixTime inception() const { return now - inception_offset.count(); }
    /// For the RRset of this owner and type; the same for the same.
    UnixTime expiration(const wire::dns::Name& owner, std::uint16_t type) const;
    /// Whether a signature with these bounds still does.
    bool is_fresh(UnixTime inception, UnixTime expiration) const;
};

using Rdatas = std::vector<std::vector<std::uint8_t>>;

/// What is signed of an RRset beside its owner: canonical rdata, sorted, each once (RFC 4034
/// section 6.2 and 6.3). Made once, it serves many owners.
struct SignedContent {
    std::uint16_t type = 0;
    std::uint32_t original_ttl = 0;  ///< seconds
    Rdatas rdatas;
    std::string digest;  ///< SHA-256 of all above
};
SignedContent make_signed_content(std::uint16_t type, std::uint32_t original_ttl, Rdatas rdatas);

/// Rdata of the RRSIG of an RRset (RFC 4034 section 3). `zone` is the signer's name.
/// Errors: those of EcdsaKey::sign; no_secret.
base::Result<std::vector<std::uint8_t>> sign_rrset(
    const wire::dns::Name& owner,
    const SignedContent& content,
    const wire::dns::Name& zone,
    const ZoneKey& key,
    UnixTime inception,
    UnixTime expiration
);

/// The fields of an RRSIG's rdata.
struct SignatureFields {
    std::uint16_t type_covered = 0;
    std::uint8_t algorithm = 0;
    std::uint8_t labels = 0;
    std::uint32_t original_ttl = 0;
    UnixTime expiration = 0;  ///< of the 32 bits, the moment nearest to `near`
    UnixTime inception = 0;
    std::uint16_t tag = 0;
    wire::dns::Name signer;
    std::span<const std::uint8_t> signature;  ///< points into the rdata
};
/// Errors: those of wire::dns names; truncated.
base::Result<SignatureFields> decode_signature(std::span<const std::uint8_t> rdata, UnixTime near);

/// Whether the RRSIG is this key's and good for the RRset. Says nothing about times.
bool verify_rrset(
    const wire::dns::Name& owner,
    const SignedContent& content,
    std::span<const std::uint8_t> rrsig,
    const ZoneKey& key
);

}  // namespace twinsite::gslb::zone
