// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace twinsite::slb::session {

/// What stands for a Session-Id in the placement table. 0 is never made: it marks an empty slot.
using Tag = std::uint64_t;

/// Secret of this process. Keyed, so that a client cannot choose Session-Ids that collide.
using TagKey = std::array<std::uint64_t, 2>;

/// SipHash-1-3 of the Session-Id's bytes, which are opaque (they may hold NUL, they may be empty).
/// Two sessions of ten million share a tag with a chance of about 5e-13 per new session; the only
/// effect would be that both go to the same blade.
Tag make_tag(const TagKey& key, std::span<const std::uint8_t> session_id);

}  // namespace twinsite::slb::session
