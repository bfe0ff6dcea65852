// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/system/system_category.hpp>

namespace twinsite::gslb::server {

namespace {

using base::text::Family;

base::Error last_error() {
    return {errno, boost::system::system_category()};
}

bool set_option(const Socket& socket, int level, int name, int value) {
    return ::setsockopt(socket.number(), level, name, &value, sizeof value) == 0;
}

base::Result<Socket> open_bound(const base::net::Endpoint& local, int type, int share_option) {
    const bool v6 = local.address.family == Family::v6;
    Socket socket(::socket(v6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC, 0));
    if (!socket.is_open()) return last_error();
    if (!set_option(socket, SOL_SOCKET, share_option, 1)) return last_error();
    // An address of one family serves that family only: 0.0.0.0 and :: are two addresses.
    if (v6 && !set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 1)) return last_error();
    const auto address = base::net::to_socket_address(local);
    if (::bind(socket.number(), address.data(), address.size) != 0) return last_error();
    return socket;
}

/// Where we listen on every address, the reply must leave from the one that was asked.
bool ask_for_destination(const Socket& socket, Family family) {
    return family == Family::v6 ? set_option(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1)
                                : set_option(socket, IPPROTO_IP, IP_PKTINFO, 1);
}

}  // namespace

base::Result<Socket> open_udp(const base::net::Endpoint& local) {
    auto socket = open_bound(local, SOCK_DGRAM, SO_REUSEPORT);
    if (!socket) return socket;
    if (is_wildcard(local.address) && !ask_for_destination(*socket, local.address.family))
        return last_error();
    // The forced form needs CAP_NET_ADMIN; the other is cut to net.core.rmem_max. Both optional.
    if (!set_option(*socket, SOL_SOCKET, SO_RCVBUFFORCE, kReceiveBufferBytes))
        set_option(*socket, SOL_SOCKET, SO_RCVBUF, kReceiveBufferBytes);
    // Forged "fragmentation needed" messages must not shrink our packets; sizes are bounded by the
    // UDP payload limit instead.
    if (local.address.family == Family::v6)
        set_option(*socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_OMIT);
    else
        set_option(*socket, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_OMIT);
    return socket;
}

base::Result<Socket> open_tcp(const base::net::Endpoint& local) {
    auto socket = open_bound(local, SOCK_STREAM | SOCK_NONBLOCK, SO_REUSEADDR);
    if (!socket) return socket;
    if (::listen(socket->number(), SOMAXCONN) != 0) return last_error();
    return socket;
}

base::Result<base::net::Endpoint> local_endpoint(const Socket& socket) {
    base::net::SocketAddress address;
    address.size = sizeof address.storage;
    if (::getsockname(socket.number(), address.data(), &address.size) != 0) return last_error();
    const auto endpoint = base::net::from_socket_address(address);
    if (!endpoint) return base::Error(EAFNOSUPPORT, boost::system::system_category());
    return *endpoint;
}

int receive_buffer_bytes(const Socket& socket) {
    int bytes = 0;
    socklen_t size = sizeof bytes;
    if (::getsockopt(socket.number(), SOL_SOCKET, SO_RCVBUF, &bytes, &size) != 0) return 0;
    // The kernel doubles the figure for its own bookkeeping, and tells the double.
    return bytes / 2;
}

bool is_wildcard(const base::text::IpAddress& address) {
    return std::all_of(address.bytes.begin(), address.bytes.end(), [](std::uint8_t byte) {
        return byte == 0;
    });
}

}  // namespace twinsite::gslb::server
