// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gslb/answer/steered_signatures.hpp"
#include "gslb/answer/variant.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/prefix_map.hpp"
#include "gslb/zone/index.hpp"
#include "wire/dns/message.hpp"

namespace twinsite::gslb::answer {

/// Everything that answers depend on, at one moment. Never changed once built; a worker reads one
/// snapshot per batch, so a batch is consistent in itself. Snapshots share the parts that did not
/// change between them.
class Snapshot {
public:
    /// Grows with every snapshot of a builder; names the state in `explain` and in the logs.
    std::uint64_t version() const noexcept { return version_; }
    const zone::Index& index() const noexcept { return *index_raw_; }
    const steering::PrefixMap& prefixes() const noexcept { return *prefixes_raw_; }
    const steering::Steering& steering() const noexcept { return *steering_; }
    /// The answers of a steered name (zone::Node::steered, which is the policy's number) for a
    /// type; null when the name does not answer the type by steering. A name steered by CNAME
    /// answers every type.
    const VariantSet* variants(std::uint32_t steered, std::uint16_t type) const noexcept {
        if (type == wire::dns::type::a) return sets_.data()[std::size_t{steered} * 2];
        if (type == wire::dns::type::aaaa) return sets_.data()[std::size_t{steered} * 2 + 1];
        const Other* const other = find_other(steered, type);
        return other == nullptr ? nullptr : other->set;
    }

    /// What a signed zone adds to variants(), for the same arguments; null when it adds nothing.
    const SteeredSignatures* signatures(std::uint32_t steered, std::uint16_t type) const noexcept {
        return signatures_.empty() ? nullptr : find_signatures(steered, type);
    }

private:
    friend class SnapshotBuilder;
    Snapshot() = default;
    struct Other {
        std::uint32_t steered = 0;
        std::uint16_t type = 0;
        const VariantSet* set = nullptr;
        const SteeredSignatures* signatures = nullptr;
    };
    const Other* find_other(std::uint32_t steered, std::uint16_t type) const noexcept;
    const SteeredSignatures* find_signatures(std::uint32_t steered, std::uint16_t type)
        const noexcept;

    std::uint64_t version_ = 0;
    // What the query path reads; owned by the members below.
    const zone::Index* index_raw_ = nullptr;
    const steering::PrefixMap* prefixes_raw_ = nullptr;
    std::shared_ptr<const zone::Index> index_;
    std::shared_ptr<const steering::PrefixMap> prefixes_;
    std::shared_ptr<const steering::Steering> steering_;
    std::vector<const VariantSet*> sets_;                   // two per policy: A, AAAA
    std::vector<Other> others_;                             // sorted by policy, then type
    std::vector<const SteeredSignatures*> signatures_;      // as sets_; empty: nothing is signed
    std::vector<std::shared_ptr<const VariantSet>> owned_;  // what sets_ points to
    std::vector<std::shared_ptr<const SteeredSignatures>> owned_signatures_;
};

}  // namespace twinsite::gslb::answer
