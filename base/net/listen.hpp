// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/error/result.hpp"
#include "base/net/endpoint.hpp"

namespace twinsite::base::net {

/// A listening TCP socket: SO_REUSEADDR (a restart must not wait for TIME_WAIT), IPv6 only on IPv6
/// addresses, backlog SOMAXCONN (the kernel cuts it to net.core.somaxconn).
Result<boost::asio::ip::tcp::acceptor> listen_tcp(
    const boost::asio::any_io_executor& executor, const Endpoint& at
);

}  // namespace twinsite::base::net
