// SPDX-License-Identifier: Apache-2.0
#include "base/http/client.hpp"

#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/async/deadline.hpp"
#include "base/async/token.hpp"
#include "base/http/async_client.hpp"
#include "base/http/error.hpp"
#include "base/http/parser.hpp"
#include "base/http/stream.hpp"
#include "base/http/tls.hpp"
#include "base/http/unix_socket.hpp"
#include "base/net/asio.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
using asio::awaitable;
using async::as_result;
using StreamResult = Result<std::unique_ptr<Stream>>;

namespace {

constexpr std::uint32_t kHeaderBytes = 64 * 1024;

/// How much of an answer's body is wanted.
struct Wanted {
    std::uint64_t body_bytes;
    bool only_beginning;  ///< A longer body is cut there, not refused.
};

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

StreamResult wrap(asio::ip::tcp::socket socket, const Target& target) {
    if (!target.tls) return make_stream(std::move(socket));
    auto context = TlsContext::for_client(*target.tls);
    if (!context) return context.error();
    auto name = target.tls->server_name;
    if (name.empty()) name = text::to_string(target.address.address);
    auto stream = make_tls_client_stream(std::move(socket), std::move(*context), name);
    if (!stream) return Error(asio::error::no_memory);
    return stream;
}

awaitable<StreamResult> connect_tcp(Target target) {
    const auto executor = co_await asio::this_coro::executor;
    const auto to = net::to_tcp(target.address);
    asio::ip::tcp::socket socket(executor);
    if (const auto failure = open_socket(socket, to, target.bind); failure) co_return failure;
    const auto [failure] = co_await socket.async_connect(to, as_result);
    if (failure) co_return failure;
    auto stream = wrap(std::move(socket), target);
    if (!stream) co_return stream.error();
    const auto hello = co_await (*stream)->handshake();
    if (!hello) co_return hello.error();
    co_return std::move(stream);
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

std::string host_of(const Target& target) {
    if (!target.host.empty()) return target.host;
    return target.unix_socket.empty() ? net::to_string(target.address) : "localhost";
}

awaitable<Result<Response>> exchange(Target target, Request request, Wanted wanted) {
    auto connecting =
        target.unix_socket.empty() ? connect_tcp(target) : connect_unix(target.unix_socket);
    auto stream = co_await std::move(connecting);
    if (!stream) co_return stream.error();
    const auto bytes = serialize(request, host_of(target), false);
    const auto sent = co_await (*stream)->write_all(bytes);
    // A server that refuses a request early answers and closes: look for its answer all the same.
    if (!sent && sent.error() != asio::error::broken_pipe &&
        sent.error() != asio::error::connection_reset) {
        co_return sent.error();
    }
    constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
    ResponseReader reader(
        kHeaderBytes, wanted.only_beginning ? kNoLimit : wanted.body_bytes, request.method == "HEAD"
    );
    auto response = co_await read_response(**stream, reader, wanted);
    (*stream)->close();
    co_return response;
}

}  // namespace

Target Target::at_unix(std::string path) {
    Target out;
    out.unix_socket = std::move(path);
    return out;
}

Target Target::at_tcp(const net::Endpoint& address) {
    Target out;
    out.address = address;
    return out;
}

awaitable<Result<Response>> async_request(
    Target target, Request request, std::chrono::milliseconds limit, std::uint64_t answer_bytes
) {
    const Wanted wanted{answer_bytes, false};
    auto work = exchange(std::move(target), std::move(request), wanted);
    auto response = co_await async::with_deadline(std::move(work), limit);
    co_return response;
}

awaitable<Result<Response>> async_request_beginning(
    Target target, Request request, std::chrono::milliseconds limit, std::uint64_t body_bytes
) {
    const Wanted wanted{body_bytes, true};
    auto work = exchange(std::move(target), std::move(request), wanted);
    auto response = co_await async::with_deadline(std::move(work), limit);
    co_return response;
}

Result<Response> request(
    const Target& target, const Request& request, std::chrono::milliseconds limit
) {
    asio::io_context io(1);
    Result<Response> out = Error(asio::error::operation_aborted);
    std::exception_ptr thrown;
    auto done = [&](std::exception_ptr failure, Result<Response> response) {
        thrown = failure;
        if (!failure) out = std::move(response);
    };
    asio::co_spawn(io, async_request(target, request, limit), done);
    io.run();
    if (thrown) std::rethrow_exception(thrown);  // no memory, no descriptors for the event loop
    return out;
}

}  // namespace twinsite::base::http
