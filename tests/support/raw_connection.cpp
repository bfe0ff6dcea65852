// SPDX-License-Identifier: Apache-2.0
#include "tests/support/raw_connection.hpp"

#include <cstring>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <unistd.h>

namespace twinsite::tests {

namespace {

void limit_reads(int handle) {
    const timeval limit{10, 0};
    ::setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

}  // namespace

RawConnection::RawConnection(const base::net::Endpoint& to) {
    const auto address = base::net::to_socket_address(to);
    handle_ = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    limit_reads(handle_);
    connected_ = ::connect(handle_, address.data(), address.size) == 0;
}

RawConnection::RawConnection(const std::string& unix_path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, unix_path.c_str(), sizeof address.sun_path - 1);
    handle_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    limit_reads(handle_);
    connected_ =
        ::connect(handle_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

RawConnection::~RawConnection() {
    ::close(handle_);
}

bool RawConnection::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string RawConnection::read_some(std::size_t size) {
    std::string out(size, '\0');
    const auto got = ::recv(handle_, out.data(), out.size(), 0);
    out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return out;
}

std::string RawConnection::read_until(std::string_view mark) {
    std::string out;
    while (out.find(mark) == std::string::npos) {
        const auto more = read_some();
        if (more.empty()) break;
        out += more;
    }
    return out;
}

std::string RawConnection::read_to_end() {
    std::string out;
    for (auto more = read_some(); !more.empty(); more = read_some()) out += more;
    return out;
}

void RawConnection::shut_down_sending() {
    ::shutdown(handle_, SHUT_WR);
}

}  // namespace twinsite::tests
