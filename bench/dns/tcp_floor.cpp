// SPDX-License-Identifier: Apache-2.0
// The floor for DNS over TCP: each message goes back with QR set, all those of one read in one
// write. One thread over epoll; what any server must at least do.
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <unistd.h>

namespace {

struct Connection {
    int fd = -1;
    std::size_t size = 0;
    std::array<std::uint8_t, 65'537> bytes;
};

/// Sets QR in whole messages; their bytes.
std::size_t turn(Connection& connection) {
    std::size_t at = 0;
    while (connection.size - at >= 2) {
        const std::size_t length =
            std::size_t{connection.bytes[at]} << 8 | connection.bytes[at + 1];
        if (connection.size - at < 2 + length) break;
        if (length >= 3) connection.bytes[at + 4] |= 0x80;
        at += 2 + length;
    }
    return at;
}

/// False: the connection is over.
bool serve(Connection& connection) {
    const ssize_t got = ::recv(
        connection.fd,
        connection.bytes.data() + connection.size,
        connection.bytes.size() - connection.size,
        MSG_DONTWAIT
    );
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    connection.size += static_cast<std::size_t>(got);
    const std::size_t whole = turn(connection);
    if (whole == 0) return true;
    if (::send(connection.fd, connection.bytes.data(), whole, MSG_NOSIGNAL) !=
        static_cast<ssize_t>(whole))
        return false;
    connection.size -= whole;
    std::memmove(connection.bytes.data(), connection.bytes.data() + whole, connection.size);
    return true;
}

int listen_at(const char* address, const char* port) {
    sockaddr_in local{};
    local.sin_family = AF_INET;
    local.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const int one = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    const void* const raw = &local;
    if (::inet_pton(AF_INET, address, &local.sin_addr) != 1 ||
        ::bind(fd, static_cast<const sockaddr*>(raw), sizeof local) != 0 ||
        ::listen(fd, SOMAXCONN) != 0)
        return -1;
    return fd;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: tcp_floor ADDRESS PORT\n"), 2;
    const int listening = listen_at(argv[1], argv[2]);
    if (listening < 0) return std::perror("tcp_floor"), 1;
    const int poller = ::epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(poller, EPOLL_CTL_ADD, listening, &event);
    std::array<epoll_event, 128> events;
    for (;;) {
        const int count = ::epoll_wait(poller, events.data(), events.size(), -1);
        for (int i = 0; i < count; ++i) {
            auto* const connection =
                static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
            if (connection == nullptr) {
                const int fd = ::accept4(listening, nullptr, nullptr, 0);
                if (fd < 0) continue;
                auto fresh = std::make_unique_for_overwrite<Connection>();
                fresh->fd = fd;
                event.data.ptr = fresh.release();
                ::epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
            } else if (!serve(*connection)) {
                ::close(connection->fd);
                delete connection;
            }
        }
    }
}
