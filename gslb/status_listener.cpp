// SPDX-License-Identifier: Apache-2.0
#include "gslb/status_listener.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>

#include "base/http/server.hpp"

namespace twinsite::gslb {

using base::http::Server;

StatusListener::StatusListener(boost::asio::io_context& io, const base::http::Router& routes)
    : io_(io), routes_(routes) {}

StatusListener::~StatusListener() = default;

base::Result<std::unique_ptr<Server>> StatusListener::listen(const StatusConfig& config) {
    auto server = std::make_unique<Server>(io_, routes_);
    const auto at =
        config.tls
            ? server->listen_tls(config.listen, {config.tls->certificate, config.tls->key, ""})
            : server->listen_tcp(config.listen);
    if (!at) return at.error();
    return server;
}

std::optional<std::string> StatusListener::apply(const std::optional<StatusConfig>& config) {
    if (!config) {
        server_.reset();
        config_.reset();
        return std::nullopt;
    }
    const bool same_place = config_ && config_->listen == config->listen;
    if (same_place && !config->tls && !config_->tls) return std::nullopt;
    auto fresh = listen(*config);
    // Two cannot listen at one place. Certificates that are no good were refused before that.
    if (!fresh && same_place && fresh.error() == boost::asio::error::address_in_use) {
        server_.reset();
        fresh = listen(*config);
    }
    if (!fresh)
        return "cannot listen on " + to_string(config->listen) + ": " + fresh.error().message();
    server_ = std::move(*fresh);
    config_ = config;
    return std::nullopt;
}

void StatusListener::stop() {
    if (server_) server_->stop();
}

}  // namespace twinsite::gslb
