// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/http/client.hpp"
#include "base/http/server.hpp"
#include "base/net/endpoint.hpp"
#include "gslb/group/peer_view.hpp"
#include "gslb/group/shared_state.hpp"
#include "wire/group/message.hpp"

namespace boost::asio {
class io_context;
}

namespace twinsite::gslb::group {

struct GroupSettings {
    struct Peer {
        std::string name;
        base::net::Endpoint address;
    };
    std::string node;
    std::string site;
    base::net::Endpoint listen;
    base::http::TlsServer server;  ///< with client_ca
    base::http::TlsClient client;  ///< with certificate; server_name is not used
    std::vector<Peer> peers;
    std::chrono::milliseconds heartbeat{1'000};
    std::chrono::milliseconds digest{5'000};
    std::chrono::milliseconds silent_after{3'000};
};

struct GroupCounters {
    std::uint64_t links_opened = 0;
    std::uint64_t links_lost = 0;
    std::uint64_t refused = 0;  ///< handshakes of who is no peer, or speaks no common version
    std::uint64_t frames_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t bad_frames = 0;  ///< a link ended for what it carried
    std::uint64_t gossip_dropped = 0;
};

/// The links to the other gslbs and the exchange over them (docs/protocol/group.md). Nothing here
/// is needed to answer a query. Everything on the thread of `io`.
class Group {
public:
    /// `state` outlives the group.
    Group(boost::asio::io_context& io, GroupSettings settings, SharedState& state);
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    /// Listens and begins to connect. Errors: bad_tls_file, or the system's.
    base::Result<base::net::Endpoint> start();
    /// Says to the peers that this is on purpose, and closes everything.
    void stop();

    /// Something new here, told to all at once; a digest would bring it within seconds anyway.
    void tell_override(const wire::group::OverrideEntry& entry);
    void tell_observations();
    void tell_loads();
    void tell_secrets();
    void tell_fences();
    void tell_intent();
    /// A digest at once, so that the peers compare.
    void tell_digest();

    std::vector<PeerView> peers() const;
    /// Whether a gslb of another site is heard; nullopt: there is none among the peers.
    std::optional<bool> hears_other_site() const;
    GroupCounters counters() const;

private:
    class State;
    std::shared_ptr<State> state_;
};

}  // namespace twinsite::gslb::group
