// SPDX-License-Identifier: Apache-2.0
// The part of IndexBuilder that joins the names of a zone: chains of proofs, referrals, wildcards
// and aliases.
#include <cstring>
#include <new>
#include <utility>

#include "gslb/zone/index_builder.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::zone {

namespace dns = wire::dns;

void IndexBuilder::open_chain(const ZoneData& data, const RRset& soa) {
    if (!has_signed_types(data)) return;
    if (!has_signed_apex(data))
        return problem(data, "it has records of DNSSEC, but no DNSKEY with NSEC or NSEC3PARAM");
    chain_ = std::make_unique<ProofBuilder>(data, negative_ttl(soa), arena_);
    for (const std::string& text : chain_->problems()) problem(data, text);
    if (!chain_->problems().empty()) chain_.reset();
}

void IndexBuilder::prove_nodes(const ZoneData& data) {
    for (const auto& [name, entry] : entries_) {
        if (entry.node == kNone) continue;
        const ProofBuilder::Shown shown = chain_->shown_by(name);
        const bool hidden = entry.cut != nullptr && entry.cut != &name;
        if (!hidden) check_shown(name, entry, shown, data);
        const auto wildcard =
            shown.encloser.with_label("*");  // too long a name: nobody can ask below
        NodeProofs proofs{};
        proofs.own = shown.own->proof;
        proofs.above = shown.above == nullptr ? kNone : shown.above->proof;
        proofs.wildcard = wildcard ? chain_->covering(*wildcard).proof : proofs.own;
        const Arena::Place place = arena_.reserve(sizeof proofs);
        std::memcpy(arena_.at(place), &proofs, sizeof proofs);
        node(entry.node).proofs = place;
    }
}

void IndexBuilder::check_shown(
    const Name& name, const Entry& entry, const ProofBuilder::Shown& shown, const ZoneData& data
) {
    if (shown.is_exact) return;
    const bool is_empty = entry.sets.empty() && !steered_numbers_.contains(name);
    if (is_empty && !chain_->is_hashed()) return;  // RFC 4034 section 4: no NSEC
    const bool is_unsigned_cut =
        entry.cut != nullptr && find_in(entry.sets, dns::type::ds) == nullptr;
    if ((is_empty || is_unsigned_cut) && shown.above != nullptr &&
        ProofBuilder::opts_out(*shown.above))
        return;
    problem(data, name.to_string() + ": not in the chain of NSEC or NSEC3");
}

void IndexBuilder::compose_proof_of_cut(
    const Name& cut, const Frame& frame, ReferralPart& part, Composition& into
) const {
    const Entry& entry = entries_.at(cut);
    std::size_t records = 0;
    if (const RRset* const ds = find_in(entry.sets, dns::type::ds)) {
        const RRset signatures = signatures_of(entry, *ds);
        compose_rrset(*ds, ds->ttl, frame, Owner::above, into);
        compose_rrset(signatures, ds->ttl, frame, Owner::above, into);
        records = ds->rdatas.size() + signatures.rdatas.size();
    } else {
        const ProofBuilder::Shown shown = chain_->shown_by(cut);
        for (const ProofBuilder::Link* const link : {shown.own, shown.above}) {
            if (link == nullptr) continue;
            const std::uint32_t ttl = std::min(link->record->ttl, chain_->ttl_bound_s());
            compose_with_owner(*link->record, ttl, frame, into);
            compose_with_owner(link->signatures, ttl, frame, into);
            records += 1 + link->signatures.rdatas.size();
        }
    }
    part.blob.records = static_cast<std::uint16_t>(part.blob.records + records);
}

/// Addresses of the servers: with `needed` of those at or below the cut, without it of the others.
void IndexBuilder::compose_addresses(
    const RRset& servers, bool needed, const Frame& frame, ReferralPart& part, Composition& into
) const {
    for (const auto& rdata : servers.rdatas) {
        const Name server = target_name(dns::type::ns, rdata);
        if (server.is_at_or_below(servers.owner) != needed) continue;
        if (steered_numbers_.contains(server)) continue;  // its addresses differ by client
        for (const auto type : {dns::type::a, dns::type::aaaa}) {
            const RRset* const glue = find_set(server, type);
            if (glue == nullptr) continue;
            compose_with_owner(*glue, glue->ttl, frame, into);
            part.additional = static_cast<std::uint16_t>(part.additional + glue->rdatas.size());
        }
    }
}

bool IndexBuilder::make_referral_part(
    const Name& cut, bool with_proof, const ZoneData& data, ReferralPart& part
) {
    Composition records;
    const Frame frame{cut, data.origin};
    const RRset& servers = *find_set(cut, dns::type::ns);
    compose_rrset(servers, servers.ttl, frame, Owner::above, records);
    part.blob.records = static_cast<std::uint16_t>(servers.rdatas.size());
    if (with_proof) compose_proof_of_cut(cut, frame, part, records);
    compose_addresses(servers, true, frame, part, records);
    part.needed_bytes = static_cast<std::uint16_t>(records.bytes.size());
    part.needed_additional = part.additional;
    compose_addresses(servers, false, frame, part, records);
    if (records.bytes.size() > kMaxBlobBytes) {
        problem(data, cut.to_string() + ": more servers than an answer can hold");
        return false;
    }
    part.blob = store(composed(std::move(records), dns::type::ns, part.blob.records));
    return true;
}

void IndexBuilder::make_referrals(const ZoneData& data) {
    std::unordered_map<const Name*, std::uint32_t> numbers;
    for (const auto& [name, entry] : entries_) {
        if (entry.cut == nullptr || entry.node == kNone) continue;
        const auto next = static_cast<std::uint32_t>(index_->referrals_.size());
        const auto [found, fresh] = numbers.try_emplace(entry.cut, next);
        node(entry.node).referral = found->second;
        if (!fresh) continue;
        Referral referral;
        referral.name_bytes = static_cast<std::uint8_t>(entry.cut->size_bytes());
        if (!make_referral_part(*entry.cut, false, data, referral.plain)) return;
        if (chain_ != nullptr && !make_referral_part(*entry.cut, true, data, referral.with_proof))
            return;
        index_->referrals_.push_back(referral);
    }
}

void IndexBuilder::link_wildcards() {
    for (const auto& [name, entry] : entries_) {
        if (!name.is_wildcard() || entry.node == kNone) continue;
        const auto parent = entries_.find(name.parent());
        if (parent != entries_.end()) node(parent->second.node).wildcard = entry.node;
    }
}

void IndexBuilder::link_cnames(const ZoneData& data) {
    for (const auto& [name, entry] : entries_) {
        if (entry.node == kNone || !node(entry.node).has_cname) continue;
        const RRset& set = *find_in(entry.sets, dns::type::cname);
        link_cname(node(entry.node), target_name(set.type, set.rdatas.front()), data);
    }
}

void IndexBuilder::link_cname(Node& alias, const Name& target, const ZoneData& data) {
    if (!target.is_at_or_below(data.origin) || is_served_below(target, data.origin)) return;
    if (has_dnames_ && is_below_dname(target, data.origin)) {
        alias.cname_end = CnameEnd::searched;
        return;
    }
    auto found = entries_.find(target);
    const bool exact = found != entries_.end();
    for (Name at = target; found == entries_.end();) {
        at = at.parent();
        found = entries_.find(at);
    }
    if (found->second.cut != nullptr) {
        alias.cname_end = CnameEnd::searched;
        return;
    }
    Arena::Place next = found->second.node;
    if (!exact) next = node(next).wildcard;
    const bool may_close = next != kNone && node(next).has_cname && node(next).is_wildcard();
    if (may_close) {  // names are what tells there, not nodes
        alias.cname_end = CnameEnd::searched;
        return;
    }
    alias.cname_end = next == kNone ? CnameEnd::name_error : CnameEnd::node;
    alias.cname_next = next;
}

}  // namespace twinsite::gslb::zone
