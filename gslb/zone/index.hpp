// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wire/dns/name.hpp"
#include "wire/dns/name_key.hpp"

namespace twinsite::gslb::zone {

/// "Points to nothing" among the numbers below.
inline constexpr std::uint32_t kNone = 0xffffffff;

/// Records of one owner and type as they go out: every owner is a pointer to the question's name
/// (0xC00C). Names inside RDATA that end in the apex are cut there and end in a pointer that is
/// right when the question's name is the node's own; for another question (wildcard, CNAME chain,
/// SOA of a negative answer) each pointer listed in the fix-ups moves by the difference of lengths.
struct Blob {
    std::uint32_t offset = 0;       ///< in Index::bytes()
    std::uint32_t first_fixup = 0;  ///< in Index::fixups()
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
struct Node {
    std::uint32_t name = 0;  ///< in Index::bytes(): lower-cased, padded to words
    std::uint32_t first_blob = 0;
    std::uint32_t wildcard = kNone;  ///< the node "*." below this one
    std::uint32_t referral = kNone;  ///< this is a cut or hidden below one
    std::uint32_t cname_next = kNone;
    std::uint32_t parent_side = kNone;  ///< of an apex: the node of its name in the zone above
    std::uint32_t steered = kNone;      ///< number of the steered name: it has the addresses
    std::uint16_t zone = 0;
    std::uint8_t name_bytes = 0;
    std::uint8_t blob_count = 0;
    CnameEnd cname_end = CnameEnd::elsewhere;
    bool has_cname = false;
    bool is_cut = false;
};

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

    std::span<const Blob> blobs(const Node& node) const noexcept {
        return {blobs_.data() + node.first_blob, node.blob_count};
    }
    const std::uint8_t* bytes(const Blob& blob) const noexcept {
        return bytes_.data() + blob.offset;
    }
    std::span<const std::uint16_t> fixups(const Blob& blob) const noexcept {
        return {fixups_.data() + blob.first_fixup, blob.fixup_count};
    }
    const Node& node(std::uint32_t number) const noexcept { return nodes_[number]; }
    const Referral& referral(const Node& node) const noexcept { return referrals_[node.referral]; }
    const Zone& zone(const Node& node) const noexcept { return zones_[node.zone]; }
    const std::vector<Zone>& zones() const noexcept { return zones_; }
    std::size_t name_count() const noexcept { return nodes_.size(); }

private:
    friend class IndexBuilder;
    struct Slot {
        std::uint32_t tag = 0;  ///< upper half of the hash
        std::uint32_t node = kNone;
    };
    const Node* find(const std::uint8_t* name, std::size_t size, std::uint64_t hash) const noexcept;

    std::vector<Slot> slots_;  // a power of two, at most half full
    std::vector<Node> nodes_;
    std::vector<Blob> blobs_;
    std::vector<Referral> referrals_;
    std::vector<Zone> zones_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint16_t> fixups_;
    std::size_t max_labels_ = 0;  // of any name: longer questions are cut before they are hashed
};

}  // namespace twinsite::gslb::zone
