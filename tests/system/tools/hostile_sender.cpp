// SPDX-License-Identifier: Apache-2.0
// Throws random and damaged messages at one port and counts only what the server has had the chance
// to look at: after each batch comes a good message whose answer is awaited. Ends with 1 when the
// server stops listening, stops answering good messages, or does not close what it should.
//
// usage: hostile_sender dns-udp|dns-tcp|diameter|http TARGET COUNT SEED [SOURCE_IP]
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/socket.h>

#include <poll.h>
#include <unistd.h>

#include "tests/system/tools/mutation.hpp"
#include "tests/system/tools/stream.hpp"

namespace twinsite::hostile {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kPatience{10'000};

struct Task {
    std::string target;
    std::size_t count = 0;
    std::string source;
};

struct Tally {
    std::size_t messages = 0;
    std::size_t connections = 0;
    std::size_t closed_by_server = 0;
};

// ---- DNS over UDP

class UdpPort {
public:
    UdpPort(const Task& task, Mutator& mutator) : mutator_(mutator) {
        fd_ = socket(AF_INET, SOCK_DGRAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        const auto colon = task.target.find(':');
        inet_pton(AF_INET, task.target.substr(0, colon).c_str(), &address.sin_addr);
        address.sin_port =
            htons(static_cast<std::uint16_t>(std::stoul(task.target.substr(colon + 1))));
        const void* raw = &address;
        if (connect(fd_, static_cast<const sockaddr*>(raw), sizeof address) != 0)
            throw std::runtime_error("cannot connect to " + task.target);
    }
    ~UdpPort() { close(fd_); }
    UdpPort(const UdpPort&) = delete;
    UdpPort& operator=(const UdpPort&) = delete;

    void send_message(const Bytes& message) { send(fd_, message.data(), message.size(), 0); }

    // A good query whose answer says that all before it were taken from the socket.
    void confirm() {
        auto query = dns_queries().front();
        for (int attempt = 0; attempt < 20; ++attempt) {
            query[0] = static_cast<std::uint8_t>(mutator_.below(256));
            query[1] = static_cast<std::uint8_t>(mutator_.below(256));
            send_message(query);
            if (wait_for(query)) return;
        }
        throw std::runtime_error("a good query was not answered");
    }

private:
    bool wait_for(const Bytes& query) {
        Bytes reply(65'536);
        for (pollfd ready{fd_, POLLIN, 0}; poll(&ready, 1, 500) > 0;) {
            const auto got = recv(fd_, reply.data(), reply.size(), 0);
            if (got < 0) throw std::runtime_error("nothing listens any more");
            // A good answer: our id, QR, NOERROR and at least one record.
            if (got > 12 && reply[0] == query[0] && reply[1] == query[1] &&
                (reply[2] & 0x80) != 0 && (reply[3] & 15) == 0 && reply[7] >= 1)
                return true;
        }
        return false;
    }

    Mutator& mutator_;
    int fd_ = -1;
};

Tally attack_dns_udp(const Task& task, Mutator& mutator) {
    constexpr std::size_t kBatch = 64;
    UdpPort port(task, mutator);
    const auto seeds = dns_queries();
    Tally tally;
    for (; tally.messages < task.count; ++tally.messages) {
        port.send_message(
            mutator.below(5) == 0 ? mutator.noise(600) : mutator.damage(mutator.pick(seeds))
        );
        if (tally.messages % kBatch == 0) port.confirm();
    }
    port.confirm();
    return tally;
}

// ---- Streams: many messages a connection; framing is kept until the last, which may be anything

/// Reads until `complete` says so; false when the peer closed first. Throws after kPatience.
bool read_until(Stream& stream, const std::function<bool(Bytes&)>& complete) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!complete(stream.received())) {
        const auto before = std::chrono::steady_clock::now();
        if (stream.read_some(kPatience)) continue;
        if (before + kPatience <= std::chrono::steady_clock::now())
            throw std::runtime_error("neither an answer nor an end of the connection");
        return false;
    }
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("an answer took too long");
    return true;
}

void append(Bytes& out, const Bytes& more) {
    out.insert(out.end(), more.begin(), more.end());
}

Bytes dns_frame(const Bytes& message) {
    Bytes out = {
        static_cast<std::uint8_t>(message.size() >> 8), static_cast<std::uint8_t>(message.size())
    };
    append(out, message);
    return out;
}

// Takes whole frames from the front; true when one of them has the id 0xabcd.
bool take_dns_answers(Bytes& in) {
    for (;;) {
        if (in.size() < 2) return false;
        const std::size_t length = static_cast<std::size_t>(in[0]) << 8 | in[1];
        if (in.size() < length + 2) return false;
        const bool ours = length >= 12 && in[2] == 0xab && in[3] == 0xcd && (in[4] & 0x80) != 0;
        in.erase(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(length) + 2);
        if (ours) return true;
    }
}

// The end of a hostile connection: an abort, a half-sent frame, or a plain close.
void leave(Stream& stream, Mutator& mutator) {
    if (mutator.below(3) == 0) stream.send_all(mutator.noise(200));
    if (mutator.below(2) == 0) stream.abort_on_close();
}

// A damaged query that does not end the connection: shorter than a header, or a response, would.
Bytes bearable_query(Mutator& mutator, const std::vector<Bytes>& seeds) {
    auto message = mutator.below(5) == 0 ? mutator.noise(600) : mutator.damage(mutator.pick(seeds));
    if (message.size() < 12) message.resize(12);
    message[2] &= 0x7f;
    if (message[0] == 0xab && message[1] == 0xcd) message[0] = 0;
    return message;
}

void attack_one_dns_stream(const Task& task, Mutator& mutator, Tally& tally) {
    constexpr std::size_t kBatches = 16;
    constexpr std::size_t kBatch = 32;
    static const auto seeds = dns_queries();
    Stream stream(task.target, task.source);
    for (std::size_t batch = 0; batch < kBatches && tally.messages < task.count; ++batch) {
        Bytes out;
        for (std::size_t i = 0; i + 1 < kBatch; ++i)
            append(out, dns_frame(bearable_query(mutator, seeds)));
        append(
            out,
            dns_frame(
                mutator.below(8) == 0 ? mutator.damage(mutator.pick(seeds))
                                      : bearable_query(mutator, seeds)
            )
        );
        auto good = seeds.front();
        good[0] = 0xab;
        good[1] = 0xcd;
        append(out, dns_frame(good));
        tally.messages += kBatch;
        if (!stream.send_all(out) || !read_until(stream, take_dns_answers)) {
            ++tally.closed_by_server;
            return;
        }
    }
    leave(stream, mutator);
}

// Takes whole messages from the front; true when one is the answer to our watchdog.
bool take_diameter_answers(Bytes& in, std::uint32_t code, std::uint32_t hop) {
    const auto get = [&](std::size_t at, std::size_t bytes) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | in[at + i];
        return value;
    };
    for (;;) {
        if (in.size() < 20) return false;
        const auto length = get(1, 3);
        if (length < 20 || in[0] != 1)
            throw std::runtime_error("the server sent a broken Diameter header");
        if (in.size() < length) return false;
        const bool ours = (in[4] & 0x80) == 0 && get(5, 3) == code && get(12, 4) == hop;
        in.erase(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(length));
        if (ours) return true;
    }
}

bool exchange_capabilities(Stream& stream, const std::string& host) {
    return stream.send_all(capabilities_request(host)) &&
           read_until(stream, [](Bytes& in) { return take_diameter_answers(in, 257, 1); });
}

Bytes hostile_diameter(Mutator& mutator, const std::vector<Bytes>& seeds) {
    auto message = mutator.pick(seeds);
    if (mutator.below(8) == 0) {
        message.resize(20);
        append(message, mutator.noise(400));
    }
    message = mutator.damage(std::move(message), mutator.below(4) == 0 ? 0 : 20);
    set_diameter_length(message);
    return message;
}

void attack_without_capabilities(
    Stream& stream, Mutator& mutator, const std::string& host, Tally& tally
) {
    auto message =
        mutator.below(2) == 0 ? mutator.noise(800) : mutator.damage(capabilities_request(host));
    if (mutator.below(2) == 0) set_diameter_length(message);
    stream.send_all(message);
    ++tally.messages;
    if (mutator.below(2) == 0) {
        stream.abort_on_close();
        return;
    }
    if (!stream.finish(kPatience))
        throw std::runtime_error("a connection whose client has finished was not closed");
    ++tally.closed_by_server;
}

void attack_one_diameter_stream(const Task& task, Mutator& mutator, Tally& tally) {
    constexpr std::size_t kBatches = 16;
    constexpr std::size_t kBatch = 32;
    const auto host = "hostile" + std::to_string(tally.connections) + ".access.example.net";
    const auto seeds = credit_control_requests(host);
    Stream stream(task.target, task.source);
    if (mutator.below(8) == 0) {
        attack_without_capabilities(stream, mutator, host, tally);
        return;
    }
    if (!exchange_capabilities(stream, host))
        throw std::runtime_error("a good capabilities exchange failed");
    for (std::size_t batch = 0; batch < kBatches && tally.messages < task.count; ++batch) {
        Bytes out;
        for (std::size_t i = 0; i < kBatch; ++i) append(out, hostile_diameter(mutator, seeds));
        const auto hop = static_cast<std::uint32_t>(0x70000000 + batch);
        append(out, watchdog_request(host, hop));
        tally.messages += kBatch;
        if (!stream.send_all(out) ||
            !read_until(stream, [hop](Bytes& in) { return take_diameter_answers(in, 280, hop); })) {
            ++tally.closed_by_server;
            return;
        }
    }
    leave(stream, mutator);
}

// Damage that leaves the lines and the lengths of a request alone.
Bytes hostile_request(Mutator& mutator, const std::vector<Bytes>& seeds) {
    auto message = mutator.pick(seeds);
    for (auto changes = 1 + mutator.below(4); changes > 0; --changes) {
        auto& byte = message[5 + mutator.below(12)];
        if (byte > ' ') byte = static_cast<std::uint8_t>(33 + mutator.below(94));
    }
    return message;
}

void attack_one_http_stream(const Task& task, Mutator& mutator, Tally& tally) {
    constexpr std::size_t kBatch = 32;
    static const auto seeds = http_requests();
    Stream stream(task.target, task.source);
    Bytes out;
    for (std::size_t i = 0; i + 1 < kBatch; ++i) append(out, hostile_request(mutator, seeds));
    append(out, mutator.below(4) == 0 ? mutator.noise(2000) : mutator.damage(mutator.pick(seeds)));
    tally.messages += kBatch;
    if (!stream.send_all(out)) {
        ++tally.closed_by_server;
        return;
    }
    if (mutator.below(8) == 0) {
        stream.abort_on_close();
        return;
    }
    if (!stream.finish(kPatience))
        throw std::runtime_error("a connection whose client has finished was not closed");
}

using AttackOne = void (*)(const Task&, Mutator&, Tally&);

Tally attack_streams(const Task& task, Mutator& mutator, AttackOne attack) {
    Tally tally;
    for (; tally.messages < task.count; ++tally.connections) attack(task, mutator, tally);
    return tally;
}

Tally attack(const std::string& kind, const Task& task, Mutator& mutator) {
    static const std::map<std::string, AttackOne> kStreams = {
        {"dns-tcp", attack_one_dns_stream},
        {"diameter", attack_one_diameter_stream},
        {"http", attack_one_http_stream},
    };
    if (kind == "dns-udp") return attack_dns_udp(task, mutator);
    const auto stream = kStreams.find(kind);
    if (stream == kStreams.end()) throw std::runtime_error("no kind " + kind);
    return attack_streams(task, mutator, stream->second);
}

}  // namespace
}  // namespace twinsite::hostile

int main(int argc, char** argv) {
    using namespace twinsite::hostile;
    if (argc < 5)
        return std::fprintf(stderr, "usage: hostile_sender KIND TARGET COUNT SEED [SOURCE]\n"), 2;
    Mutator mutator(static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)));
    const Task task{argv[2], std::strtoul(argv[3], nullptr, 10), argc > 5 ? argv[5] : ""};
    try {
        const auto tally = attack(argv[1], task, mutator);
        std::printf(
            "{\"messages\":%zu,\"connections\":%zu,\"closed_by_server\":%zu}\n",
            tally.messages,
            tally.connections,
            tally.closed_by_server
        );
        return 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "hostile_sender %s: %s\n", argv[1], failure.what());
        return 1;
    }
}
