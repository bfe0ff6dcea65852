// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/steered_signatures.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "gslb/zone/compose.hpp"
#include "gslb/zone/proof.hpp"
#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;

constexpr std::size_t kRecordHead = 12;  // pointer as owner, type, class, TTL, size

/// One RRSIG record at `to`; its owner is written when the place in the message is known, or is
/// that of the question.
void write_signature(
    const std::vector<std::uint8_t>& rdata, std::uint32_t ttl_s, std::uint8_t* to
) {
    dns::store16(to, 0xC000 | dns::kHeaderBytes);
    dns::store16(to + 2, dns::type::rrsig);
    dns::store16(to + 4, dns::kClassIn);
    dns::store32(to + 6, ttl_s);
    dns::store16(to + 10, static_cast<std::uint16_t>(rdata.size()));
    std::copy(rdata.begin(), rdata.end(), to + kRecordHead);
}

/// The smallest TTL with which any client is told "no data"; nothing when none is, or when that
/// lasts: then the zone's own record says the same.
std::optional<std::uint32_t> denied_ttl(const VariantSet& set) {
    constexpr std::uint32_t kLasting = 0xffffffff;
    std::uint32_t out = kLasting;
    for (const Variant& variant : set.variants)
        if (variant.draw_count == 0 && variant.records.count == 0)
            out = std::min(out, variant.negative_ttl_s);
    if (out == kLasting) return std::nullopt;
    return out;
}

bool prove_absence(
    const dns::Name& owner,
    std::uint16_t type,
    const VariantSet& set,
    zone::VariantSigner& signer,
    SteeredSignatures& out
) {
    const auto ttl_s = denied_ttl(set);
    if (!ttl_s || !signer.lists(owner, type)) return true;
    const std::array absent{type};
    const auto made = signer.denial_without(owner, absent);
    if (!made) return false;
    const zone::RRset record{made->owner, made->type, made->ttl, {made->rdata}};
    const std::array signatures{made->rrsig};
    std::vector<std::uint8_t> bytes;
    const zone::Proof proof = zone::compose_proof(
        record, signatures, std::min(*ttl_s, made->ttl), signer.origin(), bytes
    );
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    out.denial.resize((sizeof proof + bytes.size() + kWord - 1) / kWord);
    auto* const to = reinterpret_cast<std::uint8_t*>(out.denial.data());
    std::memcpy(to, &proof, sizeof proof);
    std::memcpy(to + sizeof proof, bytes.data(), bytes.size());
    return true;
}

}  // namespace

std::uint16_t signature_record_bytes(const dns::Name& zone) {
    constexpr std::size_t kFixed = 18;  // RFC 4034 section 3.1, up to the signer's name
    return static_cast<std::uint16_t>(
        kRecordHead + kFixed + zone.size_bytes() + sizeof(base::crypto::EcdsaSignature)
    );
}

bool sign_variants(
    const dns::Name& owner,
    std::uint16_t type,
    const VariantSet& set,
    const Signing& signing,
    zone::VariantSigner& signer,
    SteeredSignatures& out
) {
    out = {};
    if (!prove_absence(owner, type, set, signer, out)) return false;
    std::vector<std::uint8_t> bytes(signing.slots.size() * signing.record_bytes);
    std::uint8_t* at = bytes.data();
    for (const SigningSlot& slot : signing.slots) {
        const auto made = signer.signature(owner, slot.content);
        if (!made || (*made)->size() + kRecordHead != signing.record_bytes) return false;
        write_signature(**made, slot.ttl_s, at);
        at += signing.record_bytes;
    }
    out.bytes = std::move(bytes);
    return true;
}

}  // namespace twinsite::gslb::answer
