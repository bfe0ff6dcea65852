// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/socket.hpp"

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace twinsite::slb::proxy {

namespace {

base::Error system_error(int number) {
    return {number, boost::system::system_category()};
}

base::Result<base::file::Descriptor> open_socket(const base::net::Endpoint& endpoint) {
    const int family = endpoint.address.family == base::text::Family::v4 ? AF_INET : AF_INET6;
    base::file::Descriptor socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket.is_open()) return system_error(errno);
    return socket;
}

void set_flag(int fd, int level, int option) {
    const int on = 1;
    ::setsockopt(fd, level, option, &on, sizeof on);
}

using NameCall = int (*)(int, sockaddr*, socklen_t*);
std::optional<base::net::Endpoint> endpoint_of(int fd, NameCall call) {
    base::net::SocketAddress address;
    address.size = sizeof address.storage;
    if (call(fd, address.data(), &address.size) != 0) return std::nullopt;
    return base::net::from_socket_address(address);
}

}  // namespace

base::Result<base::file::Descriptor> open_listener(const base::net::Endpoint& at) {
    auto socket = open_socket(at);
    if (!socket) return socket;
    set_flag(socket->number(), SOL_SOCKET, SO_REUSEADDR);
    // "[::]" is IPv6 only, as for all our listeners; "0.0.0.0" can stand beside it.
    if (at.address.family == base::text::Family::v6)
        set_flag(socket->number(), IPPROTO_IPV6, IPV6_V6ONLY);
    const auto address = base::net::to_socket_address(at);
    if (::bind(socket->number(), address.data(), address.size) != 0) return system_error(errno);
    if (::listen(socket->number(), SOMAXCONN) != 0) return system_error(errno);
    return socket;
}

base::Result<base::file::Descriptor> accept_connection(int listener) {
    base::file::Descriptor socket(
        ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)
    );
    if (!socket.is_open()) return system_error(errno);
    set_flag(socket.number(), IPPROTO_TCP, TCP_NODELAY);
    return socket;
}

base::Result<base::file::Descriptor> start_connect(
    const base::net::Endpoint& to, const std::optional<base::text::IpAddress>& bind
) {
    auto socket = open_socket(to);
    if (!socket) return socket;
    set_flag(socket->number(), IPPROTO_TCP, TCP_NODELAY);
    if (bind) {
        const auto source = base::net::to_socket_address({*bind, 0});
        if (::bind(socket->number(), source.data(), source.size) != 0) return system_error(errno);
    }
    const auto address = base::net::to_socket_address(to);
    if (::connect(socket->number(), address.data(), address.size) != 0 && errno != EINPROGRESS)
        return system_error(errno);
    return socket;
}

base::Error connect_outcome(int fd) {
    int failure = 0;
    socklen_t size = sizeof failure;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) != 0) failure = errno;
    return system_error(failure);
}

std::optional<base::net::Endpoint> local_endpoint(int fd) {
    return endpoint_of(fd, ::getsockname);
}
std::optional<base::net::Endpoint> remote_endpoint(int fd) {
    return endpoint_of(fd, ::getpeername);
}

}  // namespace twinsite::slb::proxy
