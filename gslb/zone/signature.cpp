// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/signature.hpp"

#include <algorithm>
#include <utility>

#include "base/crypto/digest.hpp"
#include "gslb/zone/canonical.hpp"
#include "gslb/zone/error.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

namespace {

using wire::dns::Name;

constexpr std::size_t kFixedBytes = 18;  // of an RRSIG, up to the signer's name

/// Numbers that tell names apart evenly; FNV-1a.
std::uint64_t spread(const Name& owner, std::uint16_t type) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto take = [&hash](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3ULL; };
    for (const std::uint8_t byte : owner.wire()) take(wire::dns::to_lower(byte));
    take(static_cast<std::uint8_t>(type >> 8));
    take(static_cast<std::uint8_t>(type));
    return hash ^ hash >> 32;
}

/// RFC 4034 section 3.1.3: neither the root nor a leading asterisk counts.
std::uint8_t label_field(const Name& owner) {
    return static_cast<std::uint8_t>(owner.label_count() - (owner.is_wildcard() ? 1 : 0));
}

/// Everything that is signed: the RRSIG's rdata without the signature, and the RRset (RFC 4034
/// section 3.1.8.1).
void append_signed(
    std::vector<std::uint8_t>& out, const Name& owner, const SignedContent& content
) {
    const Name canonical = owner.lowered();
    for (const auto& rdata : content.rdatas) {
        append_bytes(out, canonical.wire());
        append_u16(out, content.type);
        append_u16(out, wire::dns::kClassIn);
        append_u32(out, content.original_ttl);
        append_u16(out, static_cast<std::uint16_t>(rdata.size()));
        append_bytes(out, rdata);
    }
}

std::uint32_t u32_at(std::span<const std::uint8_t> bytes, std::size_t at) {
    return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
           std::uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

std::uint16_t u16_at(std::span<const std::uint8_t> bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

/// RFC 4034 section 3.1.5: 32 bits by serial number arithmetic.
UnixTime widen(std::uint32_t time, UnixTime near) {
    const auto distance =
        static_cast<std::int32_t>(time - static_cast<std::uint32_t>(near & 0xffffffff));
    return near + distance;
}

}  // namespace

UnixTime SignatureTimes::expiration(const Name& owner, std::uint16_t type) const {
    const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(jitter.count(), 0)) + 1;
    return now + validity.count() - static_cast<UnixTime>(spread(owner, type) % most);
}

bool SignatureTimes::is_fresh(UnixTime inception, UnixTime expiration) const {
    return inception <= now && expiration - now > refresh.count() &&
           // Never one from the future of a clock that was set back.
           expiration <= now + validity.count();
}

SignedContent make_signed_content(std::uint16_t type, std::uint32_t original_ttl, Rdatas rdatas) {
    SignedContent out;
    out.type = type;
    out.original_ttl = original_ttl;
    for (auto& rdata : rdatas) rdata = canonical_rdata(type, rdata);
    std::sort(rdatas.begin(), rdatas.end());
    rdatas.erase(std::unique(rdatas.begin(), rdatas.end()), rdatas.end());
    out.rdatas = std::move(rdatas);
    std::vector<std::uint8_t> all;
    append_u16(all, type);
    append_u32(all, original_ttl);
    for (const auto& rdata : out.rdatas) {
        append_u16(all, static_cast<std::uint16_t>(rdata.size()));
        append_bytes(all, rdata);
    }
    out.digest = base::crypto::sha256({reinterpret_cast<const char*>(all.data()), all.size()});
    return out;
}

base::Result<std::vector<std::uint8_t>> sign_rrset(
    const Name& owner,
    const SignedContent& content,
    const Name& zone,
    const ZoneKey& key,
    UnixTime inception,
    UnixTime expiration
) {
    if (!key.secret) return Errc::no_secret;
    std::vector<std::uint8_t> out;
    append_u16(out, content.type);
    out.push_back(kEcdsaP256Sha256);
    out.push_back(label_field(owner));
    append_u32(out, content.original_ttl);
    append_u32(out, static_cast<std::uint32_t>(expiration & 0xffffffff));
    append_u32(out, static_cast<std::uint32_t>(inception & 0xffffffff));
    append_u16(out, key.tag());
    append_bytes(out, zone.lowered().wire());
    const std::size_t head = out.size();
    append_signed(out, owner, content);
    const auto signature = key.secret->sign(out);
    if (!signature) return signature.error();
    out.resize(head);
    append_bytes(out, *signature);
    out.shrink_to_fit();
    return out;
}

base::Result<SignatureFields> decode_signature(std::span<const std::uint8_t> rdata, UnixTime near) {
    if (rdata.size() < kFixedBytes) return Errc::truncated;
    SignatureFields out;
    out.type_covered = u16_at(rdata, 0);
    out.algorithm = rdata[2];
    out.labels = rdata[3];
    out.original_ttl = u32_at(rdata, 4);
    out.expiration = widen(u32_at(rdata, 8), near);
    out.inception = widen(u32_at(rdata, 12), near);
    out.tag = u16_at(rdata, 16);
    // The name alone, so that a compression pointer cannot lead into the fields before it.
    std::size_t offset = 0;
    auto signer = wire::dns::decode_name(rdata.subspan(kFixedBytes), offset);
    if (!signer) return signer.error();
    out.signer = *std::move(signer);
    out.signature = rdata.subspan(kFixedBytes + offset);
    return out;
}

bool verify_rrset(
    const Name& owner,
    const SignedContent& content,
    std::span<const std::uint8_t> rrsig,
    const ZoneKey& key
) {
    const auto fields = decode_signature(rrsig, 0);
    base::crypto::EcdsaSignature signature{};
    if (!fields || fields->algorithm != kEcdsaP256Sha256 || fields->tag != key.tag() ||
        fields->type_covered != content.type || fields->original_ttl != content.original_ttl ||
        fields->labels != label_field(owner) || fields->signature.size() != signature.size())
        return false;
    std::copy(fields->signature.begin(), fields->signature.end(), signature.begin());
    const auto head = rrsig.first(rrsig.size() - signature.size());
    std::vector<std::uint8_t> bytes(head.begin(), head.end());
    append_signed(bytes, owner, content);
    return base::crypto::verify_ecdsa(bytes, signature, key.public_key);
}

}  // namespace twinsite::gslb::zone
