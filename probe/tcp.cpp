// SPDX-License-Identifier: Apache-2.0
#include "probe/tcp.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/deadline.hpp"
#include "base/async/token.hpp"
#include "base/net/asio.hpp"
#include "probe/measure.hpp"

namespace twinsite::probe {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using base::Error;
using base::Result;

namespace {

/// Binds only where a source address is wanted.
Error open_socket(tcp::socket& socket, const TcpProbe::Settings& settings) {
    Error failure;
    socket.open(base::net::to_tcp(settings.target).protocol(), failure);
    if (failure || !settings.source) return failure;
    socket.bind(tcp::endpoint(base::net::to_asio(*settings.source), 0), failure);
    return failure;
}

awaitable<Result<void>> connect(const TcpProbe::Settings& settings) {
    const auto executor = co_await asio::this_coro::executor;
    tcp::socket socket(executor);
    if (const auto failure = open_socket(socket, settings); failure) co_return failure;
    const auto to = base::net::to_tcp(settings.target);
    const auto [failure] = co_await socket.async_connect(to, base::async::as_result);
    if (failure) co_return failure;
    co_return Result<void>();
}

}  // namespace

awaitable<Outcome> TcpProbe::run(std::chrono::milliseconds limit) {
    const Stopwatch watch;
    const auto connected = co_await base::async::with_deadline(connect(settings_), limit);
    co_return connected ? watch.good() : watch.failed(connected.error());
}

}  // namespace twinsite::probe
