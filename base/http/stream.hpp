// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "base/error/result.hpp"

namespace twinsite::base::http {

class TlsContext;

/// A byte stream to a peer, whatever carries it. One read and one write at a time; the stream
/// outlives what is awaited. All operations can be cancelled; afterwards only `close` is useful.
class Stream {
public:
    virtual ~Stream() = default;
    virtual boost::asio::awaitable<Result<void>> handshake() = 0;
    /// At least one byte; the end of the stream is the error eof.
    virtual boost::asio::awaitable<Result<std::size_t>> read_some(std::span<char> into) = 0;
    /// All of `bytes`, which live until it is done.
    virtual boost::asio::awaitable<Result<std::size_t>> write_all(std::string_view bytes) = 0;
    /// Says goodbye, so that the peer can tell the end from a broken connection.
    virtual boost::asio::awaitable<Result<void>> shut_down() = 0;
    virtual void close() noexcept = 0;
    /// Who the peer is, as far as it is proven: see Request::peer_identity.
    virtual std::string peer_identity() const = 0;
    /// See Request::peer_address.
    virtual std::string peer_address() const = 0;
    /// Whether the peer would be let in under the rules of `context` too. Without TLS always.
    virtual bool trusted_by(const TlsContext& context) const;
    /// After a failed handshake: what was wrong with the peer's certificate; "" when nothing was.
    virtual std::string distrust() const { return {}; }
};

std::unique_ptr<Stream> make_stream(boost::asio::ip::tcp::socket socket);
std::unique_ptr<Stream> make_stream(boost::asio::local::stream_protocol::socket socket);

}  // namespace twinsite::base::http
