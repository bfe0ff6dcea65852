// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error/result.hpp"
#include "base/file/descriptor.hpp"
#include "base/net/endpoint.hpp"

namespace twinsite::gslb::server {

using Socket = base::file::Descriptor;

/// What a UDP socket asks for. The kernel's default holds a few hundred queries; a worker that
/// loses its CPU for some milliseconds under load would drop the rest.
constexpr int kReceiveBufferBytes = 4 << 20;

/// A blocking UDP socket bound to `local` that shares its address with others of ours
/// (SO_REUSEPORT), with a receive buffer of kReceiveBufferBytes where the system allows it.
base::Result<Socket> open_udp(const base::net::Endpoint& local);

/// A listening TCP socket. Not shared: a second server at the address fails here.
base::Result<Socket> open_tcp(const base::net::Endpoint& local);

/// The address a socket is bound to, with the port the kernel chose.
base::Result<base::net::Endpoint> local_endpoint(const Socket& socket);

/// The receive buffer a socket got, in the measure of kReceiveBufferBytes; 0 when unknown.
int receive_buffer_bytes(const Socket& socket);

/// 0.0.0.0 or ::.
bool is_wildcard(const base::text::IpAddress& address);

}  // namespace twinsite::gslb::server
