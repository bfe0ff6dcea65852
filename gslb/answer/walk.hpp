// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gslb/answer/draft.hpp"
#include "gslb/answer/records.hpp"
#include "gslb/answer/snapshot.hpp"
#include "gslb/zone/index.hpp"
#include "wire/dns/name_key.hpp"

namespace twinsite::gslb::answer {

/// The whole way of a question through one zone, name by name: CNAME, DNAME (RFC 6672), wildcards
/// (RFC 4592), and for those who ask (DO) the signatures and proofs of a signed zone (RFC 4035
/// section 3.1, RFC 5155 section 7.2). resolve() takes shorter ways where there are some.
/// Lives for one answer; no heap.
class Walk {
public:
    Walk(const Context& context, const Snapshot& snapshot, Draft& draft)
        : context_(context), snapshot_(snapshot), index_(snapshot.index()), draft_(draft) {}

    /// Answers the question, whose name is `key` and was matched in a zone of ours; referrals are
    /// not its business.
    void from_question(const wire::dns::NameKey& key, zone::Index::Match match);
    /// Goes on where an alias in the answer section points to: `owner` is a pointer to its target,
    /// `alias` the node that has it.
    void from_target(const zone::Node& alias, std::uint16_t owner);

private:
    /// An alias may lead to a wildcard, each needs a proof; the last name needs three.
    static constexpr std::size_t kMaxProofs = 24;

    void run(zone::Index::Match match);
    bool step(const zone::Index::Match& match);
    bool was_here() const;
    void remember(const zone::Node& node);
    bool take_target(zone::Index::Match& match);
    void append_referral_behind(const zone::Referral& referral);
    bool follow_alias(const zone::Node& node);
    bool rewrite(const zone::Node& node);
    bool append_rewriting(const zone::Node& node, const zone::Blob& dname);
    bool append_synthesized(const std::uint8_t* dname, std::size_t prefix);
    void end_at(const zone::Node& node, zone::Index::MatchKind kind);
    void prove_name_error(const zone::Node& encloser);
    void prove_no_data(const zone::Node& node, zone::Index::MatchKind kind);
    void prove_wildcard(const zone::Node& wildcard);
    void add_own(const zone::Node& node);
    void add_covering(std::size_t encloser_bytes);
    void add(const zone::Proof& proof);
    void append_proofs();

    const Context& context_;
    const Snapshot& snapshot_;
    const zone::Index& index_;
    Draft& draft_;
    const wire::dns::NameKey* key_ = nullptr;  // the name at hand
    std::uint16_t owner_ = kOwnerIsQuestion;   // a pointer to it
    std::uint16_t zone_ = 0;
    bool with_proof_ = false;
    unsigned steps_ = 0;
    std::size_t proof_count_ = 0;
    std::array<const zone::Proof*, kMaxProofs> proofs_;
    std::array<const zone::Node*, kMaxChain> seen_;  // with aliases, one for each step
    std::array<std::uint64_t, kMaxChain> names_;     // hashes of the names at hand then
    wire::dns::NameKey target_key_;
};

}  // namespace twinsite::gslb::answer
