// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/text/ip.hpp"
#include "gslb/answer/counters.hpp"
#include "gslb/answer/random.hpp"
#include "gslb/answer/snapshot.hpp"

namespace twinsite::gslb::answer {

enum class Transport : std::uint8_t { udp, tcp };

/// What an answer depends on besides the query and the snapshot.
struct Context {
    base::text::IpAddress source;  ///< who sent the packet: the client's resolver
    Transport transport = Transport::udp;
    std::uint16_t max_udp_payload = 1232;  ///< 512..4096: what we offer in OPT and never exceed
    Random& random;
    Counters& counters;
};

/// A reply buffer must have at least this size; replies over TCP may need 65535.
inline constexpr std::size_t kMinReplyBytes = 512;

/// The seam between the sockets and everything that decides: answers one packet. Returns the size
/// of the reply, or 0 when there must be none. `query` and `reply` do not overlap.
/// No heap, no lock, no clock, no exception; the cost is bounded by the size of the query.
std::size_t answer(
    const Context& context,
    const Snapshot& snapshot,
    std::span<const std::uint8_t> query,
    std::span<std::uint8_t> reply
) noexcept;

}  // namespace twinsite::gslb::answer
