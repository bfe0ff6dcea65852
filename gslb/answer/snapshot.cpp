// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/snapshot.hpp"

#include <algorithm>

namespace twinsite::gslb::answer {

const VariantSet* Snapshot::find_other(std::uint32_t steered, std::uint16_t type) const noexcept {
    auto at = std::lower_bound(
        others_.begin(),
        others_.end(),
        steered,
        [](const Other& other, std::uint32_t wanted) { return other.steered < wanted; }
    );
    for (; at != others_.end() && at->steered == steered; ++at)
        if (at->type == type || at->type == wire::dns::type::cname) return at->set;
    return nullptr;
}

}  // namespace twinsite::gslb::answer
