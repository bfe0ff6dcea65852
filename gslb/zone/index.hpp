// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "gslb/zone/arena.hpp"
#include "gslb/zone/proof.hpp"
#include "gslb/zone/proof_order.hpp"
#include "wire/dns/message.hpp"
#include "wire/dns/name.hpp"
#include "wire/dns/name_key.hpp"

namespace twinsite::gslb::zone {

/// "Points to nothing" among the places and numbers below.
inline constexpr std::uint32_t kNone = 0xffffffff;

/// Records of one owner and type as they go out: every owner is a pointer to the question's name
/// (0xC00C). Names inside RDATA that end in the apex are cut there and end in a pointer that is
/// right when the question's name is the node's own; for another question (wildcard, CNAME chain,
/// SOA of a negative answer) each pointer listed in the fix-ups moves by the difference of lengths.
/// The signatures of a signed zone stand right behind the records, and are sent with them to those
/// who ask for them. The fix-ups stand behind all bytes, at the next whole word; none of them is in
/// the signatures.
struct Blob {
    Arena::Place place = 0;
    std::uint16_t size_bytes = 0;
    std::uint16_t fixup_count = 0;
    std::uint16_t records = 0;
    std::uint16_t type = 0;
    std::uint16_t signature_bytes = 0;  ///< behind `size_bytes`
    std::uint16_t signatures = 0;       ///< RRSIG records in them
};

/// The bit that stands for a type in the set of types that a name steers; 0: it cannot be steered.
constexpr std::uint8_t steerable_bit(std::uint16_t type) {
    switch (type) {
        case wire::dns::type::a:
            return 0x01;
        case wire::dns::type::aaaa:
            return 0x02;
        case wire::dns::type::cname:
            return 0x04;
        case wire::dns::type::srv:
            return 0x08;
        case wire::dns::type::naptr:
            return 0x10;
        case wire::dns::type::svcb:
            return 0x20;
        case wire::dns::type::https:
            return 0x40;
        case wire::dns::type::txt:
            return 0x80;
        default:
            return 0;
    }
}

/// Where the chain of a CNAME goes on.
enum class CnameEnd : std::uint8_t {
    elsewhere,   ///< another zone: the resolver must ask there
    node,        ///< Node::cname_next (perhaps a wildcard that matches the target)
    name_error,  ///< the target would be in this zone and does not exist (RFC 6604 section 3)
    searched,    ///< below a DNAME or a cut, or a wildcard alias: to be found when it is asked
};

/// One owner name: with records, or an empty non-terminal (RFC 8020), or hidden below a cut.
/// In the index its name follows (lower case, padded with zeros to whole words), then its blobs,
/// then their bytes, so that a look-up touches few cache lines.
struct Node {
    Arena::Place wildcard = kNone;   ///< the node "*." below this one
    std::uint32_t referral = kNone;  ///< number; this is a cut or hidden below one
    Arena::Place cname_next = kNone;
    Arena::Place parent_side = kNone;  ///< of an apex: the node of its name in the zone above
    std::uint32_t steered = kNone;     ///< number of the steered name: see steered_types()
    Arena::Place proofs = kNone;       ///< NodeProofs; in signed zones every node has them
    std::uint16_t zone = 0;
    std::uint8_t name_bytes = 0;
    std::uint8_t blob_count = 0;
    CnameEnd cname_end = CnameEnd::elsewhere;
    bool has_cname = false;
    bool is_cut = false;
    bool has_dname = false;  ///< all names below are others' (RFC 6672): none of them is a node

    const std::uint8_t* name() const noexcept {
        return reinterpret_cast<const std::uint8_t*>(this) + kNameAt;
    }
    bool is_wildcard() const noexcept {
        return name_bytes > 2 && name()[0] == 1 && name()[1] == '*';
    }
    std::span<const Blob> blobs() const noexcept {
        const std::size_t padded = (std::size_t{name_bytes} + 7) & ~std::size_t{7};
        return {reinterpret_cast<const Blob*>(name() + padded), blob_count};
    }
    static constexpr std::size_t kNameAt = 32;
};
static_assert(sizeof(Node) <= Node::kNameAt && std::is_trivially_copyable_v<Blob>);

/// NS records of a cut, in signed zones for those who ask what proves that the zone below is signed
/// or is not, and addresses of the servers, first those that cannot be found otherwise.
struct ReferralPart {
    Blob blob;  ///< `records` counts those of the authority section; 0: the zone is not available
    std::uint16_t additional = 0;
    std::uint16_t needed_bytes = 0;  ///< up to here it must fit, or TC is set (RFC 9471)
    std::uint16_t needed_additional = 0;
};
struct Referral {
    ReferralPart plain;
    ReferralPart with_proof;      ///< of size 0 in zones that are not signed
    std::uint8_t name_bytes = 0;  ///< of the cut's name
};

struct Zone {
    wire::dns::Name origin;
    std::uint32_t serial = 0;
    std::size_t records = 0;  ///< as loaded
    bool available = true;    ///< false: every question below it is answered with SERVFAIL
    Blob negative;            ///< SOA with the TTL of RFC 2308 section 3
    std::uint8_t origin_bytes = 0;
    std::shared_ptr<const ProofOrder> proofs;  ///< null: the zone is not signed

    bool is_signed() const noexcept { return proofs != nullptr; }
};

/// All names of all zones: a flat hash table that is never changed once built (IndexBuilder).
/// Shared by snapshots; look-ups take no lock and no heap.
class Index {
public:
    enum class MatchKind : std::uint8_t {
        no_zone,     ///< not ours; `node` is null
        exact,       ///< `node` has the name
        wildcard,    ///< `node` is the wildcard that stands for the name (RFC 4592)
        name_error,  ///< no such name; `node` is the closest encloser
    };
    struct Match {
        MatchKind kind = MatchKind::no_zone;
        const Node* node = nullptr;
    };

    Match match(const wire::dns::NameKey& name) const noexcept;
    /// The node with exactly this name; null when there is none.
    const Node* find(const wire::dns::Name& name) const noexcept;

    /// The node below which `wildcard` (a node whose name begins with "*.") stands; it is there.
    const Node* encloser_of(const Node& wildcard) const noexcept;

    std::span<const Blob> blobs(const Node& node) const noexcept { return node.blobs(); }
    const std::uint8_t* bytes(const Blob& blob) const noexcept { return at(blob.place); }
    std::span<const std::uint16_t> fixups(const Blob& blob) const noexcept {
        const std::size_t size = std::size_t{blob.size_bytes} + blob.signature_bytes;
        const std::size_t padded = (size + 7) & ~std::size_t{7};
        return {reinterpret_cast<const std::uint16_t*>(at(blob.place) + padded), blob.fixup_count};
    }
    const Node& node(Arena::Place place) const noexcept {
        return *reinterpret_cast<const Node*>(at(place));
    }
    /// Of a node whose `proofs` is not kNone.
    const NodeProofs& proofs(const Node& node) const noexcept {
        return *reinterpret_cast<const NodeProofs*>(at(node.proofs));
    }
    const Proof& proof(Arena::Place place) const noexcept {
        return *reinterpret_cast<const Proof*>(at(place));
    }
    const Referral& referral(const Node& node) const noexcept {
        return referrals_.data()[node.referral];
    }
    /// The types that a steered node answers by steering, as steerable_bit()s.
    std::uint8_t steered_types(const Node& node) const noexcept {
        return steered_types_.data()[node.steered];
    }
    const Zone& zone(const Node& node) const noexcept { return zones_.data()[node.zone]; }
    const std::vector<Zone>& zones() const noexcept { return zones_; }
    std::size_t name_count() const noexcept { return name_count_; }

private:
    friend class IndexBuilder;
    struct Slot {
        std::uint32_t tag = 0;  ///< upper half of the hash
        Arena::Place node = kNone;
    };
    const std::uint8_t* at(Arena::Place place) const noexcept {
        return reinterpret_cast<const std::uint8_t*>(pages_.data()) +
               std::size_t{place} * Arena::kWordBytes;
    }
    const Node* find(const std::uint8_t* name, std::size_t size, std::uint64_t hash) const noexcept;

    Pages slots_;  // of Slot; a power of two, at most half full
    std::size_t slot_mask_ = 0;
    Pages pages_;
    std::vector<Referral> referrals_;
    std::vector<Zone> zones_;
    std::vector<std::uint8_t> steered_types_;  // by Node::steered
    std::size_t name_count_ = 0;
    std::size_t max_labels_ = 0;  // of any name: longer questions are cut before they are hashed
};

}  // namespace twinsite::gslb::zone
