// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/variant_signer.hpp"

#include <algorithm>
#include <utility>

#include "base/error/check.hpp"
#include "gslb/zone/canonical.hpp"
#include "gslb/zone/error.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

namespace {

using wire::dns::Name;

std::string key_of(const Name& owner, const SignedContent& content) {
    const Name lowered = owner.lowered();
    const auto wire = lowered.wire();
    std::string out(reinterpret_cast<const char*>(wire.data()), wire.size());
    return out += content.digest;
}

}  // namespace

VariantSigner::VariantSigner(
    std::shared_ptr<const KeySet> keys,
    std::shared_ptr<const DenialChain> chain,
    const SignatureTimes& times
)
    : keys_(std::move(keys)), chain_(std::move(chain)), times_(times) {
    BASE_CHECK(keys_->data_key() != nullptr);
    first_end_ = times_.now + (times_.validity - times_.jitter).count();
}

base::Result<VariantSigner::Signature> VariantSigner::signature(
    const Name& owner, const SignedContent& content
) {
    auto key = key_of(owner, content);
    if (const auto known = signatures_.find(key); known != signatures_.end()) return known->second;
    auto made = sign_rrset(
        owner,
        content,
        chain_->origin(),
        *keys_->data_key(),
        times_.inception(),
        times_.expiration(owner, content.type)
    );
    if (!made) return made.error();
    ++made_;
    auto out = std::make_shared<const std::vector<std::uint8_t>>(*std::move(made));
    signatures_.emplace(key, out);
    new_.push_back({std::move(key), out});
    return out;
}

base::Result<VariantSigner::Signature> VariantSigner::signature(
    const Name& owner, std::uint16_t type, std::uint32_t original_ttl, Rdatas rdatas
) {
    return signature(owner, make_signed_content(type, original_ttl, std::move(rdatas)));
}

bool VariantSigner::lists(const Name& owner, std::uint16_t type) const {
    const auto* link = chain_->find(owner);
    return link && std::find(link->types.begin(), link->types.end(), type) != link->types.end();
}

base::Result<SignedDenial> VariantSigner::denial_without(
    const Name& owner, std::span<const std::uint16_t> absent
) {
    const auto* link = chain_->find(owner);
    if (!link) return Errc::not_in_chain;
    std::vector<std::uint16_t> types;
    for (const std::uint16_t each : link->types)
        if (std::find(absent.begin(), absent.end(), each) == absent.end()) types.push_back(each);
    // An NSEC3 says with RRSIG that the name has signed records (RFC 5155 section 7.1).
    if (link->type == wire::dns::type::nsec3 && types == std::vector{wire::dns::type::rrsig})
        types.clear();
    SignedDenial out{link->owner, link->type, link->ttl, link->head, {}};
    append_bytes(out.rdata, encode_bitmap(std::move(types)));
    const auto made = signature(link->owner, link->type, link->ttl, {out.rdata});
    if (!made) return made.error();
    out.rrsig = **made;
    return out;
}

std::vector<VariantSigner::Made> VariantSigner::take_new() {
    return std::exchange(new_, {});
}

void VariantSigner::accept(const std::vector<Made>& made) {
    for (const auto& each : made) signatures_.emplace(each.key, each.signature);
}

void VariantSigner::inherit(const VariantSigner& earlier) {
    const auto* key = keys_->data_key();
    if (earlier.keys_->data_key()->dnskey() != key->dnskey()) return;
    for (const auto& [content, signature] : earlier.signatures_) {
        const auto fields = decode_signature(*signature, times_.now);
        if (!fields || fields->tag != key->tag() ||
            !times_.is_fresh(fields->inception, fields->expiration))
            continue;
        signatures_.emplace(content, signature);
        first_end_ = std::min(first_end_, fields->expiration);
    }
}

UnixTime VariantSigner::refresh_at() const {
    return first_end_ - times_.refresh.count();
}

}  // namespace twinsite::gslb::zone
