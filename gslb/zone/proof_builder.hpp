// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gslb/zone/arena.hpp"
#include "gslb/zone/proof.hpp"
#include "gslb/zone/proof_order.hpp"
#include "gslb/zone/zone_data.hpp"

namespace twinsite::gslb::zone {

/// Reads the chain of NSEC or NSEC3 of one signed zone, checks that it closes, and puts its proofs
/// into the arena. For IndexBuilder. Where there are both chains NSEC3 counts: it is complete as
/// soon as NSEC3PARAM is there (RFC 5155 section 7.1).
class ProofBuilder {
public:
    /// One record of the chain.
    struct Link {
        const RRset* record = nullptr;
        RRset signatures;  ///< RRSIGs of the record, with its owner
        Arena::Place proof = 0;
    };
    /// `negative_ttl_s` bounds the TTL of the proofs (RFC 9077 section 3). `data` and `arena`
    /// outlive this.
    ProofBuilder(const ZoneData& data, std::uint32_t negative_ttl_s, Arena& arena);

    /// What is wrong, as sentences; when there are any the rest is not to be used.
    const std::vector<std::string>& problems() const { return problems_; }
    /// For the queries.
    std::shared_ptr<const ProofOrder> order() const { return order_; }

    /// What proves something about a name that exists.
    struct Shown {
        const Link* own;
        const Link* above;         ///< null: `own` is enough
        bool is_exact;             ///< `own` is the record of the name itself
        wire::dns::Name encloser;  ///< NSEC3: the name that `own` matches
    };
    Shown shown_by(const wire::dns::Name& name) const;
    /// The record that covers the name or is its own.
    const Link& covering(const wire::dns::Name& name) const;
    /// What bounds the TTL of the proofs, in seconds.
    std::uint32_t ttl_bound_s() const { return negative_ttl_s_; }
    bool is_hashed() const { return hashing_.has_value(); }
    /// Whether names without signed data may be left out of the chain below this record (RFC 5155
    /// section 6).
    static bool opts_out(const Link& link);

private:
    struct Place {
        std::size_t number;
        bool is_exact;
    };
    Place find(const wire::dns::Name& name) const;
    void read_parameters(const ZoneData& data);
    bool belongs(const RRset& set) const;
    void gather(const ZoneData& data);
    void check_chain();
    void store(Arena& arena);
    std::optional<std::vector<std::uint64_t>> words_of(const RRset& record) const;
    std::vector<std::uint64_t> next_words(const Link& link) const;
    void problem(std::string text);

    wire::dns::Name origin_;
    std::size_t origin_bytes_;
    std::uint32_t negative_ttl_s_;
    std::optional<HashParameters> hashing_;
    std::vector<Link> links_;  // in the order of items_
    std::vector<ProofOrder::Item> items_;
    std::shared_ptr<const ProofOrder> order_;
    std::vector<std::string> problems_;
};

/// Whether the zone has any record that only signed zones have.
bool has_signed_types(const ZoneData& data);
/// Whether the origin has what a signed zone needs there: DNSKEY, and NSEC or NSEC3PARAM.
bool has_signed_apex(const ZoneData& data);

}  // namespace twinsite::gslb::zone
