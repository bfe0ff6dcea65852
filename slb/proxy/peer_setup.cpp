// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/peer_setup.hpp"

namespace twinsite::slb::proxy {

using wire::diameter::Peer;
using wire::diameter::PeerConfig;

namespace {

Peer::Random random_of(Engine& engine) {
    return [&engine] { return static_cast<std::uint32_t>(engine.random.next() >> 32); };
}

}  // namespace

wire::diameter::Identity make_identity(const Settings& settings) {
    wire::diameter::Identity self;
    self.host = settings.host;
    self.realm = settings.realm;
    self.state_id = settings.state_id;
    // Host-IP-Address is the local address of each connection (magma/magma #8752).
    self.addresses.clear();
    if (!settings.applications.empty()) self.auth_applications = settings.applications;
    return self;
}

Peer make_blade_peer(const Settings& settings, Engine& engine) {
    PeerConfig config;
    config.role = wire::diameter::Role::initiator;
    config.watchdog = settings.blade_watchdog;
    return {make_identity(settings), std::move(config), random_of(engine)};
}

Peer make_client_peer(const Settings& settings, Engine& engine) {
    PeerConfig config;
    config.role = wire::diameter::Role::responder;
    config.watchdog = settings.client_watchdog;
    config.admit = wire::diameter::admit_hosts(settings.client_hosts);
    return {make_identity(settings), std::move(config), random_of(engine)};
}

}  // namespace twinsite::slb::proxy
