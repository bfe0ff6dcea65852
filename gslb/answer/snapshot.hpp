// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/text/ip.hpp"
#include "gslb/answer/variant.hpp"
#include "gslb/steering/policy.hpp"
#include "gslb/steering/prefix_map.hpp"
#include "gslb/zone/index.hpp"

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
    /// The answers of a steered name (zone::Node::steered, which is the policy's number).
    const VariantSet& variants(std::uint32_t steered, base::text::Family family) const noexcept {
        return *sets_.data()[std::size_t{steered} * 2 + (family == base::text::Family::v6 ? 1 : 0)];
    }

private:
    friend class SnapshotBuilder;
    Snapshot() = default;

    std::uint64_t version_ = 0;
    // What the query path reads; owned by the members below.
    const zone::Index* index_raw_ = nullptr;
    const steering::PrefixMap* prefixes_raw_ = nullptr;
    std::shared_ptr<const zone::Index> index_;
    std::shared_ptr<const steering::PrefixMap> prefixes_;
    std::shared_ptr<const steering::Steering> steering_;
    std::vector<const VariantSet*> sets_;                   // two per policy: v4, v6
    std::vector<std::shared_ptr<const VariantSet>> owned_;  // what sets_ points to
};

}  // namespace twinsite::gslb::answer
