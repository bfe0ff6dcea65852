// SPDX-License-Identifier: Apache-2.0
#include "gslb/answer/snapshot.hpp"

#include <algorithm>

namespace twinsite::gslb::answer {

const Snapshot::Other* Snapshot::find_other(std::uint32_t steered, std::uint16_t type)
    const noexcept {
    auto at = std::lower_bound(
        others_.begin(),
        others_.end(),
        steered,
        [](const Other& other, std::uint32_t wanted) { return other.steered < wanted; }
    );
    for (; at != others_.end() && at->steered == steered; ++at)
        if (at->type == type || at->type == wire::dns::type::cname) return &*at;
    return nullptr;
}

const SteeredSignatures* Snapshot::find_signatures(std::uint32_t steered, std::uint16_t type)
    const noexcept {
    if (type == wire::dns::type::a) return signatures_[std::size_t{steered} * 2];
    if (type == wire::dns::type::aaaa) return signatures_[std::size_t{steered} * 2 + 1];
    const Other* const other = find_other(steered, type);
    return other == nullptr ? nullptr : other->signatures;
}

}  // namespace twinsite::gslb::answer
