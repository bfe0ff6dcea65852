// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/steering/site_order.hpp"

namespace twinsite::gslb::steering {

/// One line of a prefix table: clients of `prefix` prefer `sites`, best first.
struct PrefixEntry {
    base::text::IpPrefix prefix;
    SiteOrder sites;
};

/// Client address -> client class. A *class* is a distinct list of preferred sites. Immutable;
/// shared by all snapshots made from one configuration.
///
/// Inside, each family is a sorted list of address ranges; neighbours of equal class are one range,
/// so `depth` is the widest aligned block around the address in which every address has the same
/// class (RFC 7871 section 7.2.1: no overlapping scopes; G-T1 and G-T2 of docs/developer/cases.md).
class PrefixMap {
public:
    struct Match {
        std::uint16_t class_id = 0;  ///< index into classes(); 0 = no prefix matched
        std::uint8_t depth = 0;      ///< 0..32 or 0..128: the ECS scope when the class decides
        bool operator==(const Match&) const = default;
    };
    static constexpr std::size_t kMaxClasses = 65'535;

    /// The empty map: every client is of class 0, depth 0.
    PrefixMap();

    /// The longest prefix decides; of two entries with one prefix the later wins. `orders` are the
    /// default orders of all policies that will use this map: two lists that mean the same after
    /// completion by each of them are one class. O(n log n). Lists beyond kMaxClasses count as
    /// unmatched; parse_prefix_table() reports that case.
    PrefixMap(std::span<const PrefixEntry> entries, std::span<const SiteOrder> orders);

    Match find(const base::text::IpAddress& client) const noexcept;

    /// The sites each class lists, as in the table, not completed. Class 0 lists none.
    const std::vector<SiteOrder>& classes() const noexcept { return classes_; }

private:
    struct Key128 {
        std::uint64_t high = 0, low = 0;
        auto operator<=>(const Key128&) const = default;
    };
    /// Address ranges of one family. Range i covers [starts[i], starts[i + 1]).
    template <class Key>
    struct Ranges {
        std::vector<Key> starts;               ///< sorted, distinct; the first is address 0
        std::vector<std::uint16_t> class_ids;  ///< never equal for neighbours
        std::vector<std::uint32_t> slots;      ///< by top 16 bits: the range of the first address
    };
    template <class Key>
    static Ranges<Key> sweep(std::vector<std::pair<base::text::IpPrefix, std::uint16_t>> entries);
    template <class Key>
    static Match find_in(const Ranges<Key>& ranges, Key client) noexcept;

    /// 1 when addresses of different families may differ in class: scope 0 would tell a resolver
    /// that the answer is good for every client (RFC 7871 section 7.3.1).
    std::uint8_t least_depth_ = 0;
    Ranges<std::uint32_t> v4_;
    Ranges<Key128> v6_;
    std::vector<SiteOrder> classes_;
};

}  // namespace twinsite::gslb::steering
