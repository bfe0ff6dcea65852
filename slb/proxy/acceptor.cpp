// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/acceptor.hpp"

#include <cerrno>

#include "base/log/log.hpp"
#include "slb/proxy/socket.hpp"

namespace twinsite::slb::proxy {

namespace {

/// A storm of reconnects must not keep the established links waiting.
constexpr int kAcceptsPerTurn = 64;
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

Acceptor::Acceptor(
    Engine& engine,
    base::file::Descriptor listener,
    base::net::Endpoint configured,
    OnAccept on_accept
)
    : engine_(engine),
      listener_(std::move(listener)),
      configured_(std::move(configured)),
      on_accept_(std::move(on_accept)) {
    engine_.poller.add(listener_.number(), *this);
}

Acceptor::~Acceptor() {
    engine_.poller.remove(listener_.number());
}

base::net::Endpoint Acceptor::endpoint() const {
    return local_endpoint(listener_.number()).value_or(configured_);
}

void Acceptor::on_ready(Ready) {
    for (int i = 0; i < kAcceptsPerTurn && !paused_; ++i) {
        auto socket = accept_connection(listener_.number());
        if (socket) {
            on_accept_(std::move(*socket));
            continue;
        }
        const auto failure = socket.error().value();
        if (failure == ECONNABORTED || failure == EINTR || failure == EPROTO) continue;
        if (failure == EAGAIN) return;
        // No descriptors or memory: the listener stays readable, so asking again at once would
        // only burn the processor.
        base::log::event(
            base::log::Level::error, "accept_failed", {{"error", socket.error().message()}}
        );
        paused_ = true;
        resume_at_ = engine_.now + kPause;
        engine_.poller.set_interest(listener_.number(), *this, {});
    }
}

void Acceptor::on_tick() {
    if (!paused_ || engine_.now < resume_at_) return;
    paused_ = false;
    engine_.poller.set_interest(listener_.number(), *this, {.read = true, .write = false});
}

}  // namespace twinsite::slb::proxy
