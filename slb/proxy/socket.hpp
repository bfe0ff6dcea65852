// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/error/result.hpp"
#include "base/file/descriptor.hpp"
#include "base/net/endpoint.hpp"

namespace twinsite::slb::proxy {

/// Non-blocking, close-on-exec TCP sockets. Errors are those of the system.
base::Result<base::file::Descriptor> open_listener(const base::net::Endpoint& at);
/// TCP_NODELAY is set. Would-block is an error like any other.
base::Result<base::file::Descriptor> accept_connection(int listener);
/// The connection is under way or made; a failure may come later (`connect_outcome`).
base::Result<base::file::Descriptor> start_connect(
    const base::net::Endpoint& to, const std::optional<base::text::IpAddress>& bind
);
base::Error connect_outcome(int fd);

std::optional<base::net::Endpoint> local_endpoint(int fd);
std::optional<base::net::Endpoint> remote_endpoint(int fd);

}  // namespace twinsite::slb::proxy
