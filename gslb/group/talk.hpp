// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/error/result.hpp"
#include "gslb/group/intent_fetch.hpp"
#include "gslb/group/peer_view.hpp"
#include "gslb/group/shared_state.hpp"
#include "wire/group/frame.hpp"

namespace twinsite::gslb::group {

/// The exchange with one peer over one link: what to do with a frame, and what to say. No sockets
/// and no clock.
class Talk {
public:
    using Send = std::function<void(wire::group::Kind, std::string payload)>;

    /// `peer`, `state` outlive this. `version` is the one that was agreed.
    Talk(PeerView& peer, SharedState& state, std::uint8_t version, Send send);

    /// What a new link begins with.
    void begin();
    /// Errors: what is wrong with the frame; then the link should end.
    base::Result<void> take(const wire::group::Frame& frame);
    void say_digest();
    /// What was found since it was last said.
    void say_observations();
    void say_loads();
    void say_secrets();
    void say_fences();
    void say_intent();

private:
    base::Result<void> take_digest(const std::string& payload);
    base::Result<void> take_pull(const std::string& payload);
    base::Result<void> take_overrides(const std::string& payload);
    base::Result<void> take_observations(const std::string& payload);
    base::Result<void> take_offer(const std::string& payload);
    base::Result<void> take_part(const std::string& payload);
    base::Result<void> take_decisions(const std::string& payload);
    void pull(wire::group::Kind what, std::string from = {});
    void compare_decisions(const wire::group::Digest& own);
    void answer_decisions(const std::string& from);

    PeerView& peer_;
    SharedState& state_;
    const std::uint8_t version_;
    const Send send_;
    std::optional<IntentFetch> fetch_;
    std::map<std::string, std::uint64_t> said_votes_;   ///< seq, by target and check
    std::map<std::string, std::uint64_t> said_loads_;   ///< seq, by service and target
    std::vector<wire::group::PolicyDigest> decisions_;  ///< of the peer, as far as they have come
};

}  // namespace twinsite::gslb::group
