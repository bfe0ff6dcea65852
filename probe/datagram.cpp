// SPDX-License-Identifier: Apache-2.0
#include "probe/datagram.hpp"

#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/token.hpp"
#include "base/net/asio.hpp"

namespace twinsite::probe {

namespace asio = boost::asio;
using asio::ip::udp;
using base::Error;
using base::Result;
using base::async::as_result;

namespace {

/// Connected, so that the kernel keeps strangers' datagrams away and tells of closed ports.
Error open(udp::socket& socket, const Place& place) {
    Error failure;
    const auto to = base::net::to_udp(place.target);
    socket.open(to.protocol(), failure);
    if (!failure && place.source)
        socket.bind(udp::endpoint(base::net::to_asio(*place.source), 0), failure);
    if (!failure) socket.connect(to, failure);
    return failure;
}

}  // namespace

asio::awaitable<Result<void>> exchange_datagrams(
    Place place,
    std::vector<std::uint8_t> request,
    std::function<bool(std::span<const std::uint8_t>)> take
) {
    const auto executor = co_await asio::this_coro::executor;
    udp::socket socket(executor);
    if (const auto failure = open(socket, place); failure) co_return failure;
    const auto out = asio::buffer(request);
    const auto [not_sent, sent] = co_await socket.async_send(out, as_result);
    if (not_sent) co_return not_sent;
    std::array<std::uint8_t, 4096> reply{};
    while (true) {
        const auto into = asio::buffer(reply);
        const auto [failure, size] = co_await socket.async_receive(into, as_result);
        if (failure) co_return failure;
        if (take(std::span(reply).first(size))) co_return Result<void>();
    }
}

}  // namespace twinsite::probe
