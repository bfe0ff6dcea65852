// SPDX-License-Identifier: Apache-2.0
#include "probe/tls.hpp"

#include <memory>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/deadline.hpp"
#include "base/async/token.hpp"
#include "base/http/stream.hpp"
#include "base/http/tls.hpp"
#include "base/net/asio.hpp"
#include "probe/measure.hpp"

namespace twinsite::probe {

namespace asio = boost::asio;
namespace http = base::http;
using asio::awaitable;
using asio::ip::tcp;
using base::Error;
using base::Result;

namespace {

/// The handshake's own complaint, if it was the certificate; else "".
awaitable<Result<std::string>> shake_hands(
    Place place, std::shared_ptr<const http::TlsContext> context, http::TlsClient rules
) {
    const auto executor = co_await asio::this_coro::executor;
    tcp::socket socket(executor);
    const auto to = base::net::to_tcp(place.target);
    Error refused;
    socket.open(to.protocol(), refused);
    if (!refused && place.source)
        socket.bind(tcp::endpoint(base::net::to_asio(*place.source), 0), refused);
    if (refused) co_return refused;
    const auto [failure] = co_await socket.async_connect(to, base::async::as_result);
    if (failure) co_return failure;
    const auto stream = http::make_tls_client_stream(
        std::move(socket), std::move(context), rules.server_name, {}, rules.on_certificate
    );
    if (!stream) co_return Error(asio::error::no_memory);
    const auto shaken = co_await stream->handshake();
    if (shaken) co_return std::string();
    auto distrust = stream->distrust();
    if (distrust.empty() || !rules.verify) co_return shaken.error();
    co_return distrust;
}

}  // namespace

awaitable<Outcome> TlsProbe::run(std::chrono::milliseconds limit) {
    const Stopwatch watch;
    auto context = trust_.context();
    if (!context) co_return watch.not_possible("authorities: " + words_for(context.error()));
    trust_.forget();
    auto rules = trust_.client(place_.target.address);
    auto shaking = shake_hands(place_, std::move(*context), std::move(rules));
    const auto complaint = co_await base::async::with_deadline(std::move(shaking), limit);
    if (!complaint) co_return watch.failed(complaint.error());
    if (!complaint->empty()) co_return watch.bad(*complaint);
    auto fault = trust_.fault_at(base::crypto::wall_now());
    if (!fault.empty()) co_return watch.bad(std::move(fault));
    co_return watch.good();
}

}  // namespace twinsite::probe
