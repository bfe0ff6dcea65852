// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error/result.hpp"
#include "gslb/zone/denial_chain.hpp"
#include "gslb/zone/key_set.hpp"
#include "gslb/zone/signature.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::zone {

/// A record of the denial of existence with its signature: what "no data" shows of a steered name.
struct SignedDenial {
    wire::dns::Name owner;   ///< the steered name (NSEC) or its hash below the origin (NSEC3)
    std::uint16_t type = 0;  ///< NSEC or NSEC3
    std::uint32_t ttl = 0;   ///< seconds, as signed: less may be sent
    std::vector<std::uint8_t> rdata;
    std::vector<std::uint8_t> rrsig;  ///< rdata
};

/// Signs the variants of the steered RRsets of one zone, before they are published. Remembers every
/// signature: the same content for the same owner costs a look-up. All signatures of one signer end
/// at about the same time; at `refresh_at` comes a new signer, which takes over what is still
/// fresh.
///
/// One thread. To sign ahead on another one, copy the signer, sign there, `take_new` from the copy
/// and `accept` here: signatures are shared, not copied.
class VariantSigner {
public:
    using Signature = std::shared_ptr<const std::vector<std::uint8_t>>;  ///< rdata of an RRSIG

    /// `keys` has a data_key(). `chain` is that of the signed zone.
    VariantSigner(
        std::shared_ptr<const KeySet> keys,
        std::shared_ptr<const DenialChain> chain,
        const SignatureTimes& times
    );

    const wire::dns::Name& origin() const { return chain_->origin(); }

    /// The signature of a variant. Its records may be sent with a TTL below `original_ttl`
    /// (RFC 4035 section 5.3.3), the RRSIG then with the same. Errors: those of EcdsaKey::sign.
    base::Result<Signature> signature(const wire::dns::Name& owner, const SignedContent& content);
    base::Result<Signature> signature(
        const wire::dns::Name& owner, std::uint16_t type, std::uint32_t original_ttl, Rdatas rdatas
    );

    /// Whether the zone's own NSEC or NSEC3 of the name lists the type.
    bool lists(const wire::dns::Name& owner, std::uint16_t type) const;
    /// The NSEC or NSEC3 of `owner` with all its types but `absent`: for "no data" of types that
    /// the zone's own record of this kind lists. Without it a validator calls the answer bogus.
    /// Errors: not_in_chain.
    base::Result<SignedDenial> denial_without(
        const wire::dns::Name& owner, std::span<const std::uint16_t> absent
    );

    struct Made {
        std::string key;
        Signature signature;
    };
    /// What was signed since the last call.
    std::vector<Made> take_new();
    void accept(const std::vector<Made>& made);
    /// Takes over signatures of an earlier signer that are fresh and of the same key.
    void inherit(const VariantSigner& earlier);

    /// When the first signature wants to be made anew.
    UnixTime refresh_at() const;

    std::size_t size() const { return signatures_.size(); }
    std::size_t made() const { return made_; }

private:
    // fixed after construction
    std::shared_ptr<const KeySet> keys_;
    std::shared_ptr<const DenialChain> chain_;
    SignatureTimes times_;
    UnixTime first_end_ = 0;  ///< of any signature
    // grow
    std::unordered_map<std::string, Signature> signatures_;  ///< by owner and digest
    std::vector<Made> new_;
    std::size_t made_ = 0;
};

}  // namespace twinsite::gslb::zone
