// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>

#include "base/net/endpoint.hpp"

/// Conversions between our endpoints and Asio's. Apart from endpoint.hpp so that only the files
/// that use sockets pay for Asio's headers.
namespace twinsite::base::net {

boost::asio::ip::address to_asio(const text::IpAddress& address);
text::IpAddress from_asio(const boost::asio::ip::address& address);

boost::asio::ip::tcp::endpoint to_tcp(const Endpoint& endpoint);
boost::asio::ip::udp::endpoint to_udp(const Endpoint& endpoint);
Endpoint from_asio(const boost::asio::ip::tcp::endpoint& endpoint);
Endpoint from_asio(const boost::asio::ip::udp::endpoint& endpoint);

}  // namespace twinsite::base::net
