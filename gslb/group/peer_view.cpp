// SPDX-License-Identifier: Apache-2.0
#include "gslb/group/peer_view.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace twinsite::gslb::group {

using wire::group::IntentVersion;

const char* to_string(PeerState state) {
    switch (state) {
        case PeerState::in_sync:
            return "in_sync";
        case PeerState::behind:
            return "behind";
        case PeerState::forked:
            return "forked";
        case PeerState::stale:
            break;
    }
    return "stale";
}

std::uint64_t distance(
    const IntentBook& book, const IntentVersion& older, const IntentVersion& newer
) {
    if (older == newer) return 0;
    if (older.epoch == newer.epoch && newer.seq > older.seq) return newer.seq - older.seq;
    const auto between =
        std::count_if(book.known().begin(), book.known().end(), [&](const KnownVersion& each) {
            return older.before(each.version) && !newer.before(each.version);
        });
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(between), 1);
}

void judge_peer(
    PeerView& peer,
    const IntentBook& book,
    const wire::group::Digest& own,
    std::chrono::milliseconds silent_after
) {
    peer.versions_behind = 0;
    peer.versions_ahead = 0;
    if (peer.compared) {
        peer.standing = book.judge(peer.digest.intent);
        if (peer.standing == Standing::older)
            peer.versions_behind = distance(book, peer.digest.intent, own.intent);
        if (peer.standing == Standing::newer)
            peer.versions_ahead = distance(book, own.intent, peer.digest.intent);
        peer.same_overrides = peer.digest.overrides == own.overrides;
    }
    const bool heard = peer.silent_for && *peer.silent_for <= silent_after && peer.compared;
    if (!heard)
        peer.state = PeerState::stale;
    else if (peer.standing == Standing::forked)
        peer.state = PeerState::forked;
    else if (peer.standing != Standing::same || !peer.same_overrides)
        peer.state = PeerState::behind;
    else
        peer.state = PeerState::in_sync;
}

std::string describe(const PeerView& peer) {
    switch (peer.state) {
        case PeerState::in_sync:
            return "in sync";
        case PeerState::forked:
            return "forked";
        case PeerState::behind:
            if (peer.versions_behind > 0) return "behind " + std::to_string(peer.versions_behind);
            if (peer.versions_ahead > 0) return "ahead " + std::to_string(peer.versions_ahead);
            return "exchanging overrides";
        case PeerState::stale:
            break;
    }
    if (!peer.silent_for) return "never heard";
    const auto whole = std::chrono::floor<std::chrono::seconds>(*peer.silent_for);
    return "stale " + base::text::format_duration(whole);
}

}  // namespace twinsite::gslb::group
