// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slb/proxy/engine.hpp"
#include "slb/proxy/settings.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::slb::proxy {

/// The peer state machines of our links, with our identity and the limits of `settings`.
/// `engine` outlives them.
wire::diameter::Peer make_blade_peer(const Settings& settings, Engine& engine);
wire::diameter::Peer make_client_peer(const Settings& settings, Engine& engine);

/// Who we are in answers of our own.
wire::diameter::Identity make_identity(const Settings& settings);

}  // namespace twinsite::slb::proxy
