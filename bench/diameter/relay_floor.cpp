// SPDX-License-Identifier: Apache-2.0
// The least that a Diameter relay must do, as a floor to compare with: frame by the length field,
// pick the blade by a hash of the Session-Id, replace the hop-by-hop id, and bring the answer back.
// Capabilities and watchdogs are answered on the spot; nothing is kept for a re-send, nothing is
// checked, nothing is counted. One thread, one epoll, everything that arrives in a turn leaves in
// one write per connection.
//
// usage: relay_floor LISTEN_IP:PORT BLADE_IP:PORT...
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kReadBytes = 256 * 1024;
constexpr std::uint32_t kCapabilities = 257;
constexpr std::uint32_t kWatchdog = 280;
constexpr std::uint32_t kDisconnect = 282;

std::uint32_t get24(const std::uint8_t* at) {
    return std::uint32_t{at[0]} << 16 | std::uint32_t{at[1]} << 8 | at[2];
}

std::uint32_t get32(const std::uint8_t* at) {
    return std::uint32_t{at[0]} << 24 | get24(at + 1);
}

void put32(std::uint8_t* at, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
}

void append32(Bytes& out, std::uint32_t value) {
    out.resize(out.size() + 4);
    put32(out.data() + out.size() - 4, value);
}

void append_avp(Bytes& out, std::uint32_t code, std::string_view value) {
    append32(out, code);
    append32(out, 0x40000000U | static_cast<std::uint32_t>(8 + value.size()));
    out.insert(out.end(), value.begin(), value.end());
    out.resize((out.size() + 3) / 4 * 4);
}

std::string number(std::uint32_t value) {
    Bytes raw;
    append32(raw, value);
    return {raw.begin(), raw.end()};
}

// A message of the base protocol with our identity. `answer` adds Result-Code 2001.
Bytes base_message(std::uint32_t code, bool answer, std::uint32_t hop, std::uint32_t end) {
    Bytes out;
    append32(out, 0x01000000);
    append32(out, (answer ? 0U : 0x80000000U) | code);
    append32(out, 0);
    append32(out, hop);
    append32(out, end);
    if (answer) append_avp(out, 268, number(2001));
    append_avp(out, 264, "floor.example.net");
    append_avp(out, 296, "example.net");
    if (code == kCapabilities) {
        append_avp(out, 257, std::string("\0\1\x7f\0\0\1", 6));
        append_avp(out, 266, number(0));
        append_avp(out, 269, "floor");
        append_avp(out, 258, number(0xffffffff));
    }
    put32(out.data(), 0x01000000U | static_cast<std::uint32_t>(out.size()));
    return out;
}

struct Connection {
    int fd = -1;
    bool is_blade = false;
    bool open = true;
    bool blocked = false;
    Bytes in = Bytes(kReadBytes);
    std::size_t filled = 0;
    Bytes out;
    std::size_t written = 0;
};

// Where the answer with this hop-by-hop id goes.
struct Pending {
    std::uint32_t client = 0;
    std::uint32_t hop = 0;
};

class Relay {
public:
    Relay(const std::string& listen_at, const std::vector<std::string>& blades)
        : pending_(1U << 16) {
        epoll_ = epoll_create1(0);
        for (const auto& blade : blades) add_blade(blade);
        listener_ = open_listener(listen_at);
        watch(listener_, kListener, EPOLLIN);
    }

    [[noreturn]] void run() {
        std::array<epoll_event, 64> events{};
        for (;;) {
            const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
            for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)]);
            for (auto& connection : connections_) flush(*connection);
        }
    }

private:
    static constexpr std::uint32_t kListener = 0xffffffff;

    static sockaddr_in parse(const std::string& text) {
        const auto colon = text.find(':');
        sockaddr_in out{};
        out.sin_family = AF_INET;
        if (colon == std::string::npos ||
            inet_pton(AF_INET, text.substr(0, colon).c_str(), &out.sin_addr) != 1)
            throw std::runtime_error("bad endpoint " + text);
        out.sin_port = htons(static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1))));
        return out;
    }

    static const sockaddr* raw(const sockaddr_in& address) {
        return static_cast<const sockaddr*>(static_cast<const void*>(&address));
    }

    static int open_listener(const std::string& text) {
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        constexpr int kOn = 1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof kOn);
        const auto local = parse(text);
        if (bind(fd, raw(local), sizeof local) != 0 || listen(fd, SOMAXCONN) != 0)
            throw std::runtime_error("cannot listen on " + text);
        return fd;
    }

    void watch(int fd, std::uint32_t tag, std::uint32_t events) {
        epoll_event event{};
        event.events = events;
        event.data.u32 = tag;
        if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0)
            throw std::runtime_error("epoll_ctl failed");
    }

    Connection& add(int fd, bool is_blade) {
        fcntl(fd, F_SETFL, O_NONBLOCK);
        constexpr int kOn = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
        connections_.push_back(std::make_unique<Connection>());
        connections_.back()->fd = fd;
        connections_.back()->is_blade = is_blade;
        watch(
            fd, static_cast<std::uint32_t>(connections_.size() - 1), EPOLLIN | EPOLLOUT | EPOLLET
        );
        return *connections_.back();
    }

    void add_blade(const std::string& text) {
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        const auto target = parse(text);
        if (connect(fd, raw(target), sizeof target) != 0)
            throw std::runtime_error("cannot connect to " + text);
        auto& blade = add(fd, true);
        blades_.push_back(static_cast<std::uint32_t>(connections_.size() - 1));
        blade.out = base_message(kCapabilities, false, 1, 1);
        flush(blade);
    }

    void handle(const epoll_event& event) {
        if (event.data.u32 == kListener) {
            const int fd = accept(listener_, nullptr, nullptr);
            if (fd >= 0) add(fd, false);
            return;
        }
        auto& connection = *connections_[event.data.u32];
        if ((event.events & EPOLLOUT) != 0) connection.blocked = false;
        // Edge-triggered: a read that fills the buffer leaves bytes without another edge.
        for (bool more = true; connection.open && more;) {
            more = read_some(connection);
            take_messages(event.data.u32);
        }
    }

    // True when the buffer was filled to its end.
    static bool read_some(Connection& connection) {
        const auto room = connection.in.size() - connection.filled;
        const auto got = recv(connection.fd, connection.in.data() + connection.filled, room, 0);
        if (got > 0) {
            connection.filled += static_cast<std::size_t>(got);
            return static_cast<std::size_t>(got) == room;
        }
        if (got == 0 || errno != EAGAIN) {
            connection.open = false;
            close(connection.fd);
        }
        return false;
    }

    void take_messages(std::uint32_t index) {
        auto& connection = *connections_[index];
        std::size_t at = 0;
        while (connection.filled - at >= 20) {
            auto* message = connection.in.data() + at;
            const auto length = get24(message + 1);
            if (length < 20 || length > connection.in.size()) {
                connection.open = false;
                close(connection.fd);
                return;
            }
            if (connection.filled - at < length) break;
            relay(index, message, length);
            at += length;
        }
        std::memmove(connection.in.data(), connection.in.data() + at, connection.filled - at);
        connection.filled -= at;
    }

    void relay(std::uint32_t from, std::uint8_t* message, std::uint32_t length) {
        const auto code = get24(message + 5);
        const bool request = (message[4] & 0x80) != 0;
        const auto hop = get32(message + 12);
        if (code == kCapabilities || code == kWatchdog || code == kDisconnect) {
            if (request) append(from, base_message(code, true, hop, get32(message + 16)));
        } else if (request) {
            const auto id = next_id_++ % static_cast<std::uint32_t>(pending_.size());
            pending_[id] = {from, hop};
            put32(message + 12, id);
            append(blades_[session_hash(message, length) % blades_.size()], message, length);
        } else if (hop < pending_.size()) {
            put32(message + 12, pending_[hop].hop);
            append(pending_[hop].client, message, length);
        }
    }

    // A multiplicative hash over the value of the first AVP, eight bytes at a time: that is the
    // Session-Id (RFC 6733 section 8.8).
    static std::uint64_t session_hash(const std::uint8_t* message, std::uint32_t length) {
        constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
        std::uint64_t hash = kFactor;
        if (length < 28 || get32(message + 20) != 263) return hash;
        const auto end = std::min<std::size_t>(length, 20 + get24(message + 25));
        for (std::size_t at = 28; at < end; at += 8) {
            std::uint64_t piece = 0;
            std::memcpy(&piece, message + at, std::min<std::size_t>(8, end - at));
            hash = (hash ^ piece) * kFactor;
            hash ^= hash >> 32;
        }
        return hash;
    }

    void append(std::uint32_t to, const Bytes& message) {
        append(to, message.data(), static_cast<std::uint32_t>(message.size()));
    }

    void append(std::uint32_t to, const std::uint8_t* message, std::uint32_t length) {
        auto& out = connections_[to]->out;
        out.insert(out.end(), message, message + length);
    }

    static void flush(Connection& connection) {
        while (connection.open && !connection.blocked && connection.written < connection.out.size()
        ) {
            const auto sent = send(
                connection.fd,
                connection.out.data() + connection.written,
                connection.out.size() - connection.written,
                MSG_NOSIGNAL
            );
            if (sent < 0) {
                connection.blocked = errno == EAGAIN;
                connection.open = connection.blocked;
                return;
            }
            connection.written += static_cast<std::size_t>(sent);
        }
        if (connection.written == connection.out.size()) {
            connection.out.clear();
            connection.written = 0;
        }
    }

    int epoll_ = -1;
    int listener_ = -1;
    std::vector<std::unique_ptr<Connection>> connections_;
    std::vector<std::uint32_t> blades_;
    std::vector<Pending> pending_;
    std::uint32_t next_id_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return std::fprintf(stderr, "usage: relay_floor LISTEN_IP:PORT BLADE_IP:PORT...\n"), 2;
    try {
        Relay relay(argv[1], std::vector<std::string>(argv + 2, argv + argc));
        relay.run();
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "relay_floor: %s\n", failure.what());
        return 1;
    }
}
