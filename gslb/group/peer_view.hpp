// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/net/endpoint.hpp"
#include "gslb/group/intent_book.hpp"
#include "wire/group/message.hpp"

namespace twinsite::gslb::group {

/// How a peer stands to us, in one word.
enum class PeerState : std::uint8_t {
    in_sync,  ///< heard, and it knows what we know
    behind,   ///< heard; one of us has not yet taken what the other has
    stale,    ///< not heard for a while, or never
    forked,   ///< it has an intent that does not follow from ours
};
/// "in_sync", "behind", "stale", "forked"
const char* to_string(PeerState state);

/// Another member as this one knows it.
struct PeerView {
    std::string name;
    base::net::Endpoint address;
    std::string site;     ///< "" before the first contact
    std::string program;  ///< its version; "" before the first contact
    bool connected = false;
    std::uint8_t protocol = 0;                            ///< version of the link; 0: none
    std::optional<std::chrono::milliseconds> silent_for;  ///< none: never heard
    std::optional<std::chrono::microseconds> round_trip;  ///< of the last heartbeat
    bool draining = false;
    wire::group::Digest digest;  ///< the last one
    bool compared = false;       ///< there was a digest
    Standing standing = Standing::same;
    std::uint64_t versions_behind = 0;  ///< intents that it lacks
    std::uint64_t versions_ahead = 0;   ///< intents that we lack
    bool same_overrides = true;
    std::vector<std::string> other_answers;  ///< policies that it answers in another way
    std::vector<std::string> broken;         ///< those of them with equal inputs
    std::string problem;                     ///< why there is no link; "" when there is one
    PeerState state = PeerState::stale;
};

/// How many intents lie between two versions, as far as `book` knows; at least 1 when they differ.
std::uint64_t distance(
    const IntentBook& book,
    const wire::group::IntentVersion& older,
    const wire::group::IntentVersion& newer
);

/// Fills in what follows from the digests of both: standing, distances, state.
void judge_peer(
    PeerView& peer,
    const IntentBook& book,
    const wire::group::Digest& own,
    std::chrono::milliseconds silent_after
);

/// "behind 2", "stale 12s", "in sync", "forked": for people.
std::string describe(const PeerView& peer);

}  // namespace twinsite::gslb::group
