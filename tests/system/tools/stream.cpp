// SPDX-License-Identifier: Apache-2.0
#include "tests/system/tools/stream.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>

#include <poll.h>
#include <unistd.h>

namespace twinsite::hostile {

namespace {

const sockaddr* raw(const void* address) {
    return static_cast<const sockaddr*>(address);
}

sockaddr_in endpoint(const std::string& text) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    const auto colon = text.find(':');
    inet_pton(AF_INET, text.substr(0, colon).c_str(), &out.sin_addr);
    if (colon != std::string::npos)
        out.sin_port = htons(static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1))));
    return out;
}

int connect_unix(const std::string& path) {
    sockaddr_un target{};
    target.sun_family = AF_UNIX;
    if (path.size() >= sizeof target.sun_path) throw std::runtime_error("path too long: " + path);
    std::memcpy(target.sun_path, path.c_str(), path.size());
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, raw(&target), sizeof target) != 0)
        throw std::runtime_error("nothing listens on " + path);
    return fd;
}

int connect_tcp(const std::string& text, const std::string& source) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (!source.empty()) {
        const auto own = endpoint(source);
        if (bind(fd, raw(&own), sizeof own) != 0) throw std::runtime_error("cannot bind " + source);
    }
    const auto target = endpoint(text);
    if (connect(fd, raw(&target), sizeof target) != 0)
        throw std::runtime_error("nothing listens on " + text + ": " + std::strerror(errno));
    return fd;
}

}  // namespace

Stream::Stream(const std::string& target, const std::string& source)
    : fd_(target.front() == '/' ? connect_unix(target) : connect_tcp(target, source)) {}

Stream::~Stream() {
    close(fd_);
}

bool Stream::send_all(const Bytes& data) {
    constexpr int kStuckMs = 5000;
    for (std::size_t at = 0; at < data.size();) {
        pollfd ready{fd_, POLLIN | POLLOUT, 0};
        if (poll(&ready, 1, kStuckMs) <= 0) return false;
        if ((ready.revents & POLLIN) != 0 && !read_some(std::chrono::milliseconds(0))) return false;
        if ((ready.revents & POLLOUT) == 0) continue;
        const auto sent =
            send(fd_, data.data() + at, data.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN) return false;
        at += sent > 0 ? static_cast<std::size_t>(sent) : 0;
    }
    return true;
}

bool Stream::read_some(std::chrono::milliseconds limit) {
    pollfd ready{fd_, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(limit.count())) <= 0) return false;
    std::array<std::uint8_t, 65'536> buffer;
    const auto got = recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got <= 0) return false;
    received_.insert(received_.end(), buffer.begin(), buffer.begin() + got);
    return true;
}

bool Stream::finish(std::chrono::milliseconds limit) {
    shutdown(fd_, SHUT_WR);
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const auto now = std::chrono::steady_clock::now();
        pollfd ready{fd_, POLLIN, 0};
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - now);
        if (now >= end || poll(&ready, 1, static_cast<int>(left.count())) <= 0) return false;
        received_.clear();
        if (!read_some(std::chrono::milliseconds(0))) return true;
    }
}

void Stream::abort_on_close() {
    const linger now{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace twinsite::hostile
