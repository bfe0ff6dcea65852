// SPDX-License-Identifier: Apache-2.0
#include "base/http/stream.hpp"

#include <sys/socket.h>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include "base/async/token.hpp"
#include "base/net/asio.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
using async::as_result;
using LocalSocket = asio::local::stream_protocol::socket;

namespace {

std::string identity_of(const asio::ip::tcp::socket&) {
    return {};
}

std::string identity_of(const LocalSocket& socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    // Asio's native_handle is not const, though asking for the number changes nothing.
    const int handle = const_cast<LocalSocket&>(socket).native_handle();
    if (::getsockopt(handle, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
    return "uid:" + std::to_string(peer.uid);
}

std::string address_of(const asio::ip::tcp::socket& socket) {
    Error failure;
    const auto peer = socket.remote_endpoint(failure);
    return failure ? std::string() : text::to_string(net::from_asio(peer.address()));
}

std::string address_of(const LocalSocket&) {
    return "unix";
}

template <class Socket>
class PlainStream final : public Stream {
public:
    explicit PlainStream(Socket socket) : socket_(std::move(socket)) {}

    asio::awaitable<Result<void>> handshake() override { co_return Result<void>(); }

    asio::awaitable<Result<std::size_t>> read_some(std::span<char> into) override {
        const auto buffer = asio::buffer(into.data(), into.size());
        const auto [failure, size] = co_await socket_.async_read_some(buffer, as_result);
        if (failure) co_return failure;
        co_return size;
    }

    asio::awaitable<Result<std::size_t>> write_all(std::string_view bytes) override {
        const auto buffer = asio::buffer(bytes.data(), bytes.size());
        const auto [failure, size] = co_await asio::async_write(socket_, buffer, as_result);
        if (failure) co_return failure;
        co_return size;
    }

    asio::awaitable<Result<void>> shut_down() override {
        Error failure;
        socket_.shutdown(Socket::shutdown_send, failure);
        if (failure) co_return failure;
        co_return Result<void>();
    }

    void close() noexcept override {
        Error ignored;
        socket_.close(ignored);
    }

    std::string peer_identity() const override { return identity_of(socket_); }
    std::string peer_address() const override { return address_of(socket_); }

private:
    Socket socket_;
};

}  // namespace

bool Stream::trusted_by(const TlsContext&) const {
    return true;
}

std::unique_ptr<Stream> make_stream(asio::ip::tcp::socket socket) {
    return std::make_unique<PlainStream<asio::ip::tcp::socket>>(std::move(socket));
}
std::unique_ptr<Stream> make_stream(LocalSocket socket) {
    return std::make_unique<PlainStream<LocalSocket>>(std::move(socket));
}

}  // namespace twinsite::base::http
