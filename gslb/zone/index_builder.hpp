// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gslb/zone/compose.hpp"
#include "gslb/zone/index.hpp"
#include "gslb/zone/zone_data.hpp"

namespace twinsite::gslb::zone {

struct Built {
    std::shared_ptr<const Index> index;  ///< null when there are problems
    std::vector<std::string> problems;   ///< sentences that name zone and owner, at most 50
};

/// Makes an Index of all zones. `steered` are the names whose A and AAAA records come from
/// steering: they need not be in the zone's data, and addresses found there are left out. Their
/// position in the list becomes Node::steered.
Built build_index(std::span<const ZoneData> zones, std::span<const wire::dns::Name> steered);

/// The work of build_index, one zone after the other.
class IndexBuilder {
public:
    IndexBuilder(std::span<const ZoneData> zones, std::span<const wire::dns::Name> steered);
    Built build() &&;

private:
    using Name = wire::dns::Name;
    /// A name of the zone at work, before its node is filled.
    struct Entry {
        Arena::Place node = kNone;
        std::vector<const RRset*> sets;
        const Name* cut = nullptr;  ///< the topmost cut at or above the name
    };
    using Entries = std::unordered_map<Name, Entry>;
    /// A blob without its place, and what it consists of.
    struct Composed {
        Blob blob;
        Composition records;
    };

    void add_zone(const ZoneData& data);
    void gather(const ZoneData& data);
    void gather_steered(const ZoneData& data);
    Entry& entry_of(const Name& name, const Name& origin);
    void find_cuts(const ZoneData& data);
    void make_nodes(const ZoneData& data);
    /// `name` is the key of `entry` itself.
    Arena::Place add_node(const Name& name, const Entry& entry, const ZoneData& data);
    Node describe(const Name& name, const Entry& entry, const ZoneData& data);
    std::vector<Composed> compose(const Name& name, const Entry& entry, const ZoneData& data);
    void make_referrals(const ZoneData& data);
    Composition compose_referral(
        const Name& cut, const RRset& servers, const ZoneData& data, std::uint16_t& additional
    ) const;
    void link_wildcards();
    void link_cnames(const ZoneData& data);
    void link_cname(Node& node, const Name& target, const ZoneData& data);
    static Composed composed(Composition records, std::uint16_t type, std::size_t count);
    /// Puts the bytes into the arena; the blob then knows its place.
    Blob store(const Composed& composed);
    Node& node(Arena::Place place) { return *reinterpret_cast<Node*>(arena_.at(place)); }

    void link_parent_sides();
    void finish();
    bool is_served_below(const Name& name, const Name& origin) const;
    bool is_hidden(const Name& name) const;
    const RRset* find_set(const Name& owner, std::uint16_t type) const;
    void problem(const ZoneData& data, const std::string& text);

    // fixed after construction
    std::span<const ZoneData> zones_;
    std::span<const Name> steered_;
    std::unordered_map<Name, std::size_t> origins_;
    std::unordered_map<Name, std::uint32_t> steered_numbers_;
    // grow zone by zone
    std::shared_ptr<Index> index_;
    std::vector<std::string> problems_;
    Arena arena_;
    std::vector<Arena::Place> listed_;  // nodes for the table: all but parent sides
    std::unordered_map<Name, Arena::Place> parent_sides_;
    std::unordered_map<Name, Arena::Place> apexes_;
    // the zone at work
    Entries entries_;
    std::uint16_t zone_ = 0;
};

}  // namespace twinsite::gslb::zone
