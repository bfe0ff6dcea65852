// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/intent_fetch.hpp"

#include "gslb/group/intent_book.hpp"

namespace twinsite::gslb::group {

IntentFetch::IntentFetch(wire::group::IntentHeader header)
    : header_(std::move(header)), hash_(version_of(header_).hash) {}

wire::group::Pull IntentFetch::next_pull() const {
    return {wire::group::Kind::intent_part, "", hash_, content_.size()};
}

bool IntentFetch::take(const wire::group::IntentPart& part) {
    if (part.hash != hash_ || part.offset != content_.size()) return true;
    if (part.data.empty() || content_.size() + part.data.size() > header_.bytes) return false;
    content_ += part.data;
    return true;
}

}  // namespace twinsite::gslb::group
