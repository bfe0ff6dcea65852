// SPDX-License-Identifier: Apache-2.0
#include "base/net/listen.hpp"

#include <boost/asio/ip/v6_only.hpp>

#include "base/net/asio.hpp"

namespace twinsite::base::net {

namespace asio = boost::asio;

Result<asio::ip::tcp::acceptor> listen_tcp(
    const asio::any_io_executor& executor, const Endpoint& at
) {
    const auto endpoint = to_tcp(at);
    asio::ip::tcp::acceptor acceptor(executor);
    Error failure;
    acceptor.open(endpoint.protocol(), failure);
    if (!failure) acceptor.set_option(asio::socket_base::reuse_address(true), failure);
    const bool v6 = endpoint.address().is_v6();
    if (!failure && v6) acceptor.set_option(asio::ip::v6_only(true), failure);
    if (!failure) acceptor.bind(endpoint, failure);
    if (!failure) acceptor.listen(asio::socket_base::max_listen_connections, failure);
    if (failure) return failure;
    return acceptor;
}

}  // namespace twinsite::base::net
