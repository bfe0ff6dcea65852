// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/file/descriptor.hpp"
#include "base/net/endpoint.hpp"
#include "slb/proxy/engine.hpp"
#include "slb/proxy/poller.hpp"

namespace twinsite::slb::proxy {

/// One listening socket of a shard.
class Acceptor final : public Watcher {
public:
    using OnAccept = std::function<void(base::file::Descriptor)>;

    /// `configured` is what the configuration says; with port 0 the kernel chose another.
    Acceptor(
        Engine& engine,
        base::file::Descriptor listener,
        base::net::Endpoint configured,
        OnAccept on_accept
    );
    ~Acceptor() override;

    void on_ready(Ready ready) override;
    /// Tries again after the process ran out of descriptors.
    void on_tick();

    const base::net::Endpoint& configured() const { return configured_; }
    /// The address in use.
    base::net::Endpoint endpoint() const;

private:
    Engine& engine_;
    base::file::Descriptor listener_;
    base::net::Endpoint configured_;
    OnAccept on_accept_;
    Engine::Time resume_at_{};
    bool paused_ = false;
};

}  // namespace twinsite::slb::proxy
