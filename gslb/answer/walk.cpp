// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/walk.hpp"

#include <algorithm>
#include <cstring>

#include "gslb/answer/negative.hpp"
#include "gslb/answer/records.hpp"
#include "wire/dns/bytes.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/name.hpp"

namespace twinsite::gslb::answer {
namespace {

namespace dns = wire::dns;
using dns::NameKey;
using zone::Blob;
using zone::Node;
using MatchKind = zone::Index::MatchKind;

/// Owner, type, class, TTL, length: what stands before the RDATA of a composed record.
constexpr std::size_t kFieldBytes = 12;

/// Reads the name at `at` of a message that we wrote. False: too long, which cannot be for a
/// target.
bool read_name(const std::uint8_t* message, std::size_t at, NameKey& out) {
    std::array<std::uint8_t, dns::kMaxNameBytes> name;
    std::size_t size = 0;
    for (;;) {
        const std::size_t length = message[at];
        if (length >= 0xC0) {
            at = (length & 0x3f) << 8 | message[at + 1];
            continue;
        }
        if (size + 1 + length > name.size()) return false;
        std::memcpy(name.data() + size, message + at, 1 + length);
        size += 1 + length;
        if (length == 0) break;
        at += 1 + length;
    }
    dns::make_key(name.data(), size, out);
    return true;
}

/// Offset in `key` of the name that is one label longer than its encloser of `encloser_bytes`.
std::size_t next_closer_at(const NameKey& key, std::size_t encloser_bytes) {
    std::size_t at = 0;
    for (;;) {
        const std::size_t next = at + 1 + key.bytes[at];
        if (key.size - next <= encloser_bytes) return at;
        at = next;
    }
}

}  // namespace

void Walk::from_question(const NameKey& key, zone::Index::Match match) {
    key_ = &key;
    zone_ = match.node->zone;
    with_proof_ = draft_.query.edns.dnssec_ok && match.node->proofs != zone::kNone;
    run(match);
}

void Walk::from_target(const Node& alias, std::uint16_t owner) {
    owner_ = owner;
    zone_ = alias.zone;
    with_proof_ = draft_.query.edns.dnssec_ok && alias.proofs != zone::kNone;
    seen_[0] = &alias;
    names_[0] = dns::hash_name(alias.name(), alias.name_bytes);
    steps_ = 1;
    zone::Index::Match match;
    if (take_target(match)) run(match);
}

void Walk::run(zone::Index::Match match) {
    while (step(match))
        if (++steps_ == kMaxChain || !take_target(match)) break;
    append_proofs();
}

/// Does what the name at hand asks for. True: an alias was written, which leads on to owner_.
bool Walk::step(const zone::Index::Match& match) {
    const Node& node = *match.node;
    if (match.kind == MatchKind::name_error) {
        if (node.has_dname) return rewrite(node);
        set_rcode(draft_, dns::Rcode::nx_domain);
        append_negative(draft_, index_, node, with_proof_);
        if (with_proof_) prove_name_error(node);
        return false;
    }
    if (is_followed(draft_.query.type) && has_alias(index_, node)) [[unlikely]] {
        if (was_here()) return false;  // a loop ends where it closes
        remember(node);
        if (follow_alias(node)) {
            if (match.kind == MatchKind::wildcard && with_proof_) prove_wildcard(node);
            return true;
        }
        if (draft_.overflow) return false;
    }
    end_at(node, match.kind);
    return false;
}

bool Walk::was_here() const {
    const auto end = names_.begin() + steps_;
    return std::find(names_.begin(), end, key_->hash) != end;
}

void Walk::remember(const Node& node) {
    seen_[steps_] = &node;
    names_[steps_] = key_->hash;
}

/// Makes the name that owner_ points to the one at hand. False: the way ends there.
bool Walk::take_target(zone::Index::Match& match) {
    if (draft_.overflow) return false;
    if (!read_name(draft_.out, owner_ & kMaxPointer, target_key_)) return false;
    key_ = &target_key_;
    match = index_.match(*key_);
    if (match.node == nullptr || match.node->zone != zone_) return false;
    const Node& node = *match.node;
    if (node.referral == zone::kNone) return true;
    // DS is the parent's own (RFC 4035 section 3.1.4.1).
    if (draft_.query.type == dns::type::ds && match.kind == MatchKind::exact && node.is_cut)
        return true;
    append_referral_behind(index_.referral(node));
    return false;
}

/// An alias led to or below a cut: where to ask on (RFC 1034 section 4.3.2 step 3.b). The cut's
/// name does not stand in the question, as a referral wants it: it is written out once.
void Walk::append_referral_behind(const zone::Referral& referral) {
    const bool signed_too = with_proof_ && referral.with_proof.blob.size_bytes != 0;
    const zone::ReferralPart& part = signed_too ? referral.with_proof : referral.plain;
    const Blob& blob = part.blob;
    append_proofs();  // before the addresses, which end the message
    constexpr std::size_t kPointerBytes = 2;
    const std::size_t place = draft_.at;
    append(draft_, key_->bytes.data() + key_->size - referral.name_bytes, referral.name_bytes);
    std::uint8_t* const to =
        append(draft_, index_.bytes(blob) + kPointerBytes, blob.size_bytes - kPointerBytes);
    if (to == nullptr) return;
    if (place > kMaxPointer) {
        draft_.overflow = true;
        return;
    }
    const std::size_t moved = draft_.query.name_bytes - std::size_t{referral.name_bytes};
    for (const std::uint16_t fixup : index_.fixups(blob)) {
        if (fixup < kPointerBytes) continue;  // the first owner, which is written out
        std::uint8_t* const at = to + fixup - kPointerBytes;
        const std::uint16_t pointer = dns::load16(at);
        dns::store16(
            at,
            static_cast<std::uint16_t>(
                pointer == kOwnerIsQuestion ? 0xC000 | place : pointer + moved
            )
        );
    }
    draft_.authorities = static_cast<std::uint16_t>(draft_.authorities + blob.records);
    draft_.additionals = part.additional;
}

/// Appends the alias of the node. False: a steered one has none now.
bool Walk::follow_alias(const Node& node) {
    const std::size_t at = draft_.at;
    if (!append_type(context_, snapshot_, draft_, node, dns::type::cname, owner_)) return false;
    if (at + kFieldBytes > kMaxPointer) return draft_.overflow = true, false;
    owner_ = static_cast<std::uint16_t>(0xC000 | (at + kFieldBytes));
    return true;
}

/// The name at hand is below the DNAME of `node` (RFC 6672 section 3.2 step 3.3).
bool Walk::rewrite(const Node& node) {
    if (was_here()) return false;
    const auto seen_end = seen_.begin() + steps_;
    const Blob& dname = *find_blob(node.blobs(), dns::type::dname);
    const bool is_there = std::find(seen_.begin(), seen_end, &node) != seen_end;
    if (!is_there && !append_rewriting(node, dname)) return false;
    const std::size_t prefix = key_->size - node.name_bytes;
    remember(node);
    if (!append_synthesized(index_.bytes(dname), prefix)) return false;
    // The synthesised CNAME is what was asked for, or one of all; nothing else is at such a name.
    const std::uint16_t type = draft_.query.type;
    return type != dns::type::cname && type != dns::type::any;
}

/// Appends the DNAME itself, owned by the node's name.
bool Walk::append_rewriting(const Node& node, const Blob& dname) {
    const bool with_signatures = with_proof_;
    const std::size_t size =
        std::size_t{dname.size_bytes} + (with_signatures ? dname.signature_bytes : 0);
    const std::uint8_t* const from = index_.bytes(dname);
    const auto records =
        static_cast<std::uint16_t>(dname.records + (with_signatures ? dname.signatures : 0));
    draft_.answers = static_cast<std::uint16_t>(draft_.answers + records);
    if (owner_ == kOwnerIsQuestion) {
        std::uint8_t* const to = append(draft_, from, size);
        if (to == nullptr) return false;
        const std::size_t above = draft_.query.name_bytes - node.name_bytes;
        set_owners(to, size, static_cast<std::uint16_t>(kOwnerIsQuestion + above));
        return true;
    }
    // Where the tail of an earlier target stands in the message is not known: written out.
    for (std::size_t at = 0; at < size;) {
        const std::size_t rest = 10 + std::size_t{dns::load16(from + at + 10)};
        append(draft_, node.name(), node.name_bytes);
        append(draft_, from + at + 2, rest);
        at += 2 + rest;
    }
    return !draft_.overflow;
}

/// Appends the CNAME from the name at hand to its first `prefix` bytes in front of the target of
/// the record at `dname`.
bool Walk::append_synthesized(const std::uint8_t* dname, std::size_t prefix) {
    const std::size_t target_bytes = dns::load16(dname + 10);
    const std::size_t size = prefix + target_bytes;
    if (size > dns::kMaxNameBytes) {
        set_rcode(draft_, dns::Rcode::yx_domain);
        return false;
    }
    const auto at = draft_.at;
    std::uint8_t* const to = extend(draft_, kFieldBytes + size);
    if (to == nullptr) return false;
    if (at + kFieldBytes > kMaxPointer) return draft_.overflow = true, false;
    dns::store16(to, owner_);
    dns::store16(to + 2, dns::type::cname);
    std::memcpy(to + 4, dname + 4, 6);  // class and TTL are those of the DNAME
    dns::store16(to + 10, static_cast<std::uint16_t>(size));
    // The question's own case is kept where it is at hand.
    const std::uint8_t* const labels =
        owner_ == kOwnerIsQuestion ? draft_.query.name() : key_->bytes.data();
    std::memcpy(to + kFieldBytes, labels, prefix);
    std::memcpy(to + kFieldBytes + prefix, dname + kFieldBytes, target_bytes);
    owner_ = static_cast<std::uint16_t>(0xC000 | (at + kFieldBytes));
    ++draft_.answers;
    return true;
}

/// The last name: what it has of the type, or that it has nothing.
void Walk::end_at(const Node& node, MatchKind kind) {
    const auto seen_end = seen_.begin() + steps_;
    const bool shows_dname =
        node.has_dname && std::find(seen_.begin(), seen_end, &node) != seen_end;
    const std::uint16_t type = draft_.query.type;
    // A DNAME led to its own owner: it is in the answer already, and so is its signature.
    if (shows_dname && type == dns::type::dname) return;
    if (shows_dname && with_proof_ && type == dns::type::rrsig) {
        append_signatures(draft_, index_, node, owner_, dns::type::dname);
        return;
    }
    if (append_asked(context_, snapshot_, draft_, node, owner_)) {
        if (kind == MatchKind::wildcard && with_proof_) prove_wildcard(node);
        return;
    }
    context_.counters.no_data.add();
    append_negative(draft_, index_, node, with_proof_);
    if (with_proof_) prove_no_data(node, kind);
}

void Walk::prove_name_error(const Node& encloser) {
    const zone::NodeProofs& proofs = index_.proofs(encloser);
    if (index_.zone(encloser).proofs->is_hashed()) add_own(encloser);
    if (proofs.above == zone::kNone) add_covering(encloser.name_bytes);
    add(index_.proof(proofs.wildcard));
}

void Walk::prove_no_data(const Node& node, MatchKind kind) {
    if (kind == MatchKind::wildcard) {
        if (index_.zone(node).proofs->is_hashed()) add_own(*index_.encloser_of(node));
        prove_wildcard(node);
    }
    if (draft_.denial != nullptr) return add(*draft_.denial);
    add_own(node);
}

/// That the name at hand is not there itself.
void Walk::prove_wildcard(const Node& wildcard) {
    constexpr std::size_t kAsteriskBytes = 2;
    add_covering(wildcard.name_bytes - kAsteriskBytes);
}

void Walk::add_own(const Node& node) {
    const zone::NodeProofs& proofs = index_.proofs(node);
    add(index_.proof(proofs.own));
    if (proofs.above != zone::kNone) add(index_.proof(proofs.above));
}

void Walk::add_covering(std::size_t encloser_bytes) {
    const zone::ProofOrder& order = *index_.zones()[zone_].proofs;
    add(index_.proof(
        order.covering(key_->bytes.data(), key_->size, next_closer_at(*key_, encloser_bytes))
    ));
}

void Walk::add(const zone::Proof& proof) {
    const auto end = proofs_.begin() + static_cast<std::ptrdiff_t>(proof_count_);
    if (std::find(proofs_.begin(), end, &proof) != end) return;
    if (proof_count_ < kMaxProofs) proofs_[proof_count_++] = &proof;
}

void Walk::append_proofs() {
    if (proof_count_ == 0) return;
    const std::size_t origin_bytes = index_.zones()[zone_].origin_bytes;
    for (std::size_t i = 0; i < proof_count_; ++i) append_proof(draft_, *proofs_[i], origin_bytes);
    proof_count_ = 0;
}

}  // namespace twinsite::gslb::answer
