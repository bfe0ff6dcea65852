// SPDX-License-Identifier: Apache-2.0
#include "base/http/connect.hpp"

#include <array>
#include <optional>
#include <span>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/token.hpp"
#include "base/http/error.hpp"
#include "base/http/unix_socket.hpp"
#include "base/net/asio.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
using asio::awaitable;
using async::as_result;
using StreamResult = Result<std::unique_ptr<Stream>>;

namespace {

awaitable<StreamResult> connect_unix(std::string path) {
    if (!fits_socket_address(path)) co_return Error(Errc::bad_socket_path);
    const auto executor = co_await asio::this_coro::executor;
    asio::local::stream_protocol::socket socket(executor);
    const asio::local::stream_protocol::endpoint at(path);
    const auto [failure] = co_await socket.async_connect(at, as_result);
    if (failure) co_return failure;
    co_return make_stream(std::move(socket));
}

/// Binds only where a source address is wanted.
Error open_socket(
    asio::ip::tcp::socket& socket,
    const asio::ip::tcp::endpoint& to,
    const std::optional<net::Endpoint>& from
) {
    Error failure;
    socket.open(to.protocol(), failure);
    if (!failure && from) socket.bind(net::to_tcp(*from), failure);
    return failure;
}

StreamResult wrap(
    asio::ip::tcp::socket socket, const Target& target, std::shared_ptr<const TlsContext> context
) {
    if (!context) return make_stream(std::move(socket));
    auto name = target.tls->server_name;
    if (name.empty()) name = text::to_string(target.address.address);
    auto stream = make_tls_client_stream(
        std::move(socket), std::move(context), name, target.tls->accept_identity
    );
    if (!stream) return Error(asio::error::no_memory);
    return stream;
}

awaitable<StreamResult> connect_tcp(Target target, std::shared_ptr<const TlsContext> context) {
    const auto executor = co_await asio::this_coro::executor;
    const auto to = net::to_tcp(target.address);
    asio::ip::tcp::socket socket(executor);
    if (const auto failure = open_socket(socket, to, target.bind); failure) co_return failure;
    const auto [failure] = co_await socket.async_connect(to, as_result);
    if (failure) co_return failure;
    auto stream = wrap(std::move(socket), target, std::move(context));
    if (!stream) co_return stream.error();
    const auto hello = co_await (*stream)->handshake();
    if (!hello) co_return hello.error();
    co_return std::move(stream);
}

}  // namespace

awaitable<StreamResult> connect(Target target, std::shared_ptr<const TlsContext> context) {
    auto connecting = target.unix_socket.empty()
                          ? connect_tcp(std::move(target), std::move(context))
                          : connect_unix(target.unix_socket);
    auto stream = co_await std::move(connecting);
    co_return stream;
}

awaitable<Result<Response>> read_response(Stream& stream, ResponseReader& reader, Wanted wanted) {
    std::array<char, 16 * 1024> buffer;
    const std::span<char> into(buffer);
    while (!reader.done()) {
        if (wanted.only_beginning && reader.header_done() &&
            reader.body_size() >= wanted.body_bytes) {
            break;
        }
        const auto size = co_await stream.read_some(into);
        Result<void> fed;
        if (size)
            fed = reader.feed(std::string_view(buffer.data(), *size));
        else
            fed = size.error() == asio::error::eof ? reader.feed_end() : size.error();
        if (!fed) co_return fed.error();
    }
    auto response = reader.take();
    if (wanted.only_beginning && response.body.size() > wanted.body_bytes)
        response.body.resize(wanted.body_bytes);
    co_return response;
}

awaitable<Result<void>> write_request(Stream& stream, std::string bytes) {
    const auto sent = co_await stream.write_all(bytes);
    if (!sent && sent.error() != asio::error::broken_pipe &&
        sent.error() != asio::error::connection_reset) {
        co_return sent.error();
    }
    co_return Result<void>();
}

std::string host_of(const Target& target) {
    if (!target.host.empty()) return target.host;
    return target.unix_socket.empty() ? net::to_string(target.address) : "localhost";
}

}  // namespace twinsite::base::http
