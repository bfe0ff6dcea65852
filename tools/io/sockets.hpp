// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/error/result.hpp"
#include "base/file/descriptor.hpp"
#include "base/net/endpoint.hpp"

/// Non-blocking TCP sockets. Errors are those of the system (generic category).
namespace twinsite::tools::io {

base::Result<base::file::Descriptor> listen_on(const base::net::Endpoint& at);
/// The next waiting connection, TCP_NODELAY set; an error of EAGAIN when there is none.
base::Result<base::file::Descriptor> accept_from(const base::file::Descriptor& listener);
/// Starts to connect, from `source` if given. Done when writable and `connect_error` is clear.
base::Result<base::file::Descriptor> dial(
    const base::net::Endpoint& to, const std::optional<base::text::IpAddress>& source
);
/// Why the connection could not be made, once it is writable.
base::Error connect_error(const base::file::Descriptor& socket);
std::optional<base::net::Endpoint> local_endpoint(const base::file::Descriptor& socket);
/// Ends our side so that all written bytes arrive before the FIN.
void shut_down_writing(const base::file::Descriptor& socket);

}  // namespace twinsite::tools::io
