// SPDX-License-Identifier: Apache-2.0
// What the sockets alone cost: a server that sets QR and sends each datagram back, in batches.
#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/socket.h>

namespace {

constexpr std::size_t kBatch = 64;
constexpr std::size_t kBytes = 2048;

int open_socket(const std::string& address, std::uint16_t port) {
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    constexpr int kBuffer = 4 << 20;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kBuffer, sizeof kBuffer);
    sockaddr_in local{};
    local.sin_family = AF_INET;
    local.sin_port = htons(port);
    if (inet_pton(AF_INET, address.c_str(), &local.sin_addr) != 1) return -1;
    const auto* raw = static_cast<const sockaddr*>(static_cast<const void*>(&local));
    return bind(fd, raw, sizeof local) == 0 ? fd : -1;
}

[[noreturn]] void serve(int fd) {
    static std::array<std::array<std::uint8_t, kBytes>, kBatch> buffers;
    static std::array<sockaddr_storage, kBatch> peers;
    static std::array<iovec, kBatch> vectors;
    static std::array<mmsghdr, kBatch> messages;
    for (;;) {
        for (std::size_t i = 0; i < kBatch; ++i) {
            vectors[i] = {buffers[i].data(), kBytes};
            messages[i].msg_hdr = {&peers[i], sizeof peers[i], &vectors[i], 1, nullptr, 0, 0};
        }
        const int count = recvmmsg(fd, messages.data(), kBatch, MSG_WAITFORONE, nullptr);
        for (int i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (messages[at].msg_len > 2) buffers[at][2] |= 0x80;
            vectors[at].iov_len = messages[at].msg_len;
        }
        for (int sent = 0; sent < count;) {
            const auto done =
                sendmmsg(fd, messages.data() + sent, static_cast<unsigned>(count - sent), 0);
            sent += done > 0 ? done : 1;
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: echo_floor ADDRESS PORT\n"), 2;
    const int fd = open_socket(argv[1], static_cast<std::uint16_t>(std::atoi(argv[2])));
    if (fd < 0) return std::perror("echo_floor"), 1;
    serve(fd);
}
