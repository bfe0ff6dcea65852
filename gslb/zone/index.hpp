// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "gslb/zone/arena.hpp"
#include "wire/dns/name.hpp"
#include "wire/dns/name_key.hpp"

namespace twinsite::gslb::zone {

/// "Points to nothing" among the places and numbers below.
inline constexpr std::uint32_t kNone = 0xffffffff;

/// Records of one owner and type as they go out: every owner is a pointer to the question's name
/// (0xC00C). Names inside RDATA that end in the apex are cut there and end in a pointer that is
/// right when the question's name is the node's own; for another question (wildcard, CNAME chain,
/// SOA of a negative answer) each pointer listed in the fix-ups moves by the difference of lengths.
/// The fix-ups stand behind the bytes, at the next whole word.
struct Blob {
    Arena::Place place = 0;
    std::uint16_t size_bytes = 0;
    std::uint16_t fixup_count = 0;
    std::uint16_t records = 0;
    std::uint16_t type = 0;
};

/// Where the chain of a CNAME goes on.
enum class CnameEnd : std::uint8_t {
    elsewhere,   ///< another zone, or below a cut of this one: the resolver must ask there
    node,        ///< Node::cname_next (perhaps a wildcard that matches the target)
    name_error,  ///< the target would be in this zone and does not exist (RFC 6604 section 3)
};

/// One owner name: with records, or an empty non-terminal (RFC 8020), or hidden below a cut.
/// In the index its name follows (lower case, padded with zeros to whole words), then its blobs,
/// then their bytes, so that a look-up touches few cache lines.
struct Node {
    Arena::Place wildcard = kNone;   ///< the node "*." below this one
    std::uint32_t referral = kNone;  ///< number; this is a cut or hidden below one
    Arena::Place cname_next = kNone;
    Arena::Place parent_side = kNone;  ///< of an apex: the node of its name in the zone above
    std::uint32_t steered = kNone;     ///< number of the steered name: it has the addresses
    std::uint16_t zone = 0;
    std::uint8_t name_bytes = 0;
    std::uint8_t blob_count = 0;
    CnameEnd cname_end = CnameEnd::elsewhere;
    bool has_cname = false;
    bool is_cut = false;

    const std::uint8_t* name() const noexcept {
        return reinterpret_cast<const std::uint8_t*>(this) + kNameAt;
    }
    std::span<const Blob> blobs() const noexcept {
        const std::size_t padded = (std::size_t{name_bytes} + 7) & ~std::size_t{7};
        return {reinterpret_cast<const Blob*>(name() + padded), blob_count};
    }
    static constexpr std::size_t kNameAt = 32;
};
static_assert(sizeof(Node) <= Node::kNameAt && std::is_trivially_copyable_v<Blob>);

/// NS records of a cut and the addresses of the servers that cannot be found otherwise.
struct Referral {
    Blob blob;  ///< `records` counts the NS records
    std::uint16_t additional = 0;
    std::uint8_t name_bytes = 0;  ///< of the cut's name
};

struct Zone {
    wire::dns::Name origin;
    std::uint32_t serial = 0;
    std::size_t records = 0;  ///< as loaded
    Blob negative;            ///< SOA with the TTL of RFC 2308 section 3
    std::uint8_t origin_bytes = 0;
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

    std::span<const Blob> blobs(const Node& node) const noexcept { return node.blobs(); }
    const std::uint8_t* bytes(const Blob& blob) const noexcept { return at(blob.place); }
    std::span<const std::uint16_t> fixups(const Blob& blob) const noexcept {
        const std::size_t padded = (std::size_t{blob.size_bytes} + 7) & ~std::size_t{7};
        return {reinterpret_cast<const std::uint16_t*>(at(blob.place) + padded), blob.fixup_count};
    }
    const Node& node(Arena::Place place) const noexcept {
        return *reinterpret_cast<const Node*>(at(place));
    }
    const Referral& referral(const Node& node) const noexcept {
        return referrals_.data()[node.referral];
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
    std::size_t name_count_ = 0;
    std::size_t max_labels_ = 0;  // of any name: longer questions are cut before they are hashed
};

}  // namespace twinsite::gslb::zone
