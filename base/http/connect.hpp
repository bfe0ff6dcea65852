// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/error/result.hpp"
#include "base/http/client.hpp"
#include "base/http/parser.hpp"
#include "base/http/stream.hpp"
#include "base/http/tls.hpp"

/// What the clients of the room share. Inside the room only.
namespace twinsite::base::http {

/// Largest header of an answer.
constexpr std::uint32_t kAnswerHeaderBytes = 64 * 1024;

/// A connection to `target`, TLS handshake done. `context` is nullptr exactly when the target has
/// no TLS.
boost::asio::awaitable<Result<std::unique_ptr<Stream>>> connect(
    Target target, std::shared_ptr<const TlsContext> context
);

/// How much of an answer's body is wanted.
struct Wanted {
    std::uint64_t body_bytes;
    bool only_beginning = false;  ///< A longer body is cut there, not refused.
};
boost::asio::awaitable<Result<Response>> read_response(
    Stream& stream, ResponseReader& reader, Wanted wanted
);

/// Sends the request. A server that refuses one early answers and closes, so a connection that is
/// broken by then is no failure: look for the answer.
boost::asio::awaitable<Result<void>> write_request(Stream& stream, std::string bytes);

/// The Host header.
std::string host_of(const Target& target);

}  // namespace twinsite::base::http
