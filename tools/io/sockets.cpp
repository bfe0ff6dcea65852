// SPDX-License-Identifier: Apache-2.0
#include "tools/io/sockets.hpp"

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace twinsite::tools::io {
namespace {

base::Error last_error() {
    return {errno, boost::system::generic_category()};
}

void set_option(int fd, int level, int name, int value) {
    setsockopt(fd, level, name, &value, sizeof value);
}

base::file::Descriptor make_socket(const base::net::SocketAddress& address) {
    return base::file::Descriptor(
        socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
    );
}

}  // namespace

base::Result<base::file::Descriptor> listen_on(const base::net::Endpoint& at) {
    const auto address = base::net::to_socket_address(at);
    base::file::Descriptor out = make_socket(address);
    if (!out.is_open()) return last_error();
    set_option(out.number(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (address.storage.ss_family == AF_INET6)
        set_option(out.number(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (bind(out.number(), address.data(), address.size) != 0) return last_error();
    if (listen(out.number(), SOMAXCONN) != 0) return last_error();
    return out;
}

base::Result<base::file::Descriptor> accept_from(const base::file::Descriptor& listener) {
    base::file::Descriptor out(
        accept4(listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)
    );
    if (!out.is_open()) return last_error();
    set_option(out.number(), IPPROTO_TCP, TCP_NODELAY, 1);
    return out;
}

base::Result<base::file::Descriptor> dial(
    const base::net::Endpoint& to, const std::optional<base::text::IpAddress>& source
) {
    const auto address = base::net::to_socket_address(to);
    base::file::Descriptor out = make_socket(address);
    if (!out.is_open()) return last_error();
    set_option(out.number(), IPPROTO_TCP, TCP_NODELAY, 1);
    if (source) {
        const auto from = base::net::to_socket_address({*source, 0});
        // The port is chosen at connect: many connections of one address do not use it up.
        set_option(out.number(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
        if (bind(out.number(), from.data(), from.size) != 0) return last_error();
    }
    if (connect(out.number(), address.data(), address.size) != 0 && errno != EINPROGRESS)
        return last_error();
    return out;
}

base::Error connect_error(const base::file::Descriptor& socket) {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return last_error();
    return {error, boost::system::generic_category()};
}

std::optional<base::net::Endpoint> local_endpoint(const base::file::Descriptor& socket) {
    base::net::SocketAddress address;
    address.size = sizeof address.storage;
    if (getsockname(socket.number(), address.data(), &address.size) != 0) return std::nullopt;
    return base::net::from_socket_address(address);
}

void shut_down_writing(const base::file::Descriptor& socket) {
    shutdown(socket.number(), SHUT_WR);
}

}  // namespace twinsite::tools::io
