// SPDX-License-Identifier: Apache-2.0
#include "base/http/client.hpp"

#include <exception>
#include <memory>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>

#include "base/async/deadline.hpp"
#include "base/http/async_client.hpp"
#include "base/http/connect.hpp"
#include "base/http/parser.hpp"
#include "base/http/tls.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
using asio::awaitable;

namespace {

/// A context of its own: the files as they are now.
Result<std::shared_ptr<const TlsContext>> context_of(const Target& target) {
    if (!target.tls || !target.unix_socket.empty()) return std::shared_ptr<const TlsContext>();
    return TlsContext::for_client(*target.tls);
}

awaitable<Result<Response>> exchange(Target target, Request request, Wanted wanted) {
    auto context = context_of(target);
    if (!context) co_return context.error();
    auto stream = co_await connect(target, std::move(*context));
    if (!stream) co_return stream.error();
    auto bytes = serialize(request, host_of(target), false);
    const auto sent = co_await write_request(**stream, std::move(bytes));
    if (!sent) co_return sent.error();
    constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
    ResponseReader reader(
        kAnswerHeaderBytes,
        wanted.only_beginning ? kNoLimit : wanted.body_bytes,
        request.method == "HEAD"
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
