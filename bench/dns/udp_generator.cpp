// SPDX-License-Identifier: Apache-2.0
// Closed-loop DNS load over UDP: keeps a fixed number of queries in flight over a few sockets,
// checks every answer and prints one JSON object. 120 in flight is below what the default 208 KiB
// SO_RCVBUF of a server holds, so that a server which does not raise its buffer loses nothing.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <poll.h>
#include <unistd.h>

#include "bench/dns/query_mix.hpp"

namespace twinsite::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kBatch = 32;
constexpr std::size_t kAnswerBytes = 4096;

struct Options {
    std::string target;
    std::string mix = "static";
    std::string file;
    std::string source;
    double seconds = 1;
    std::size_t window = 120;
    std::size_t sockets = 8;
    std::chrono::milliseconds timeout{300};
    bool check = true;
};

struct Totals {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    std::uint64_t lost = 0;
    std::uint64_t wrong = 0;
    std::uint64_t unexpected = 0;
};

sockaddr_in parse_endpoint(const std::string& text) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    const auto colon = text.find(':');
    if (colon != std::string::npos)
        out.sin_port = htons(static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1))));
    if (inet_pton(AF_INET, text.substr(0, colon).c_str(), &out.sin_addr) != 1)
        throw std::runtime_error("bad address " + text);
    return out;
}

const sockaddr* as_sockaddr(const sockaddr_in& address) {
    return static_cast<const sockaddr*>(static_cast<const void*>(&address));
}

// One query in flight. The id on the wire is `generation * window + index`, so that an answer to
// an earlier user of the slot is told apart.
struct Slot {
    const Query* query = nullptr;
    std::uint16_t id = 0;
    Clock::time_point sent_at;
    bool busy = false;
};

/// One connected socket with its share of the window.
class Lane {
public:
    Lane(const Options& options, std::size_t slots) : options_(options), slots_(slots) {
        fd_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
        const auto target = parse_endpoint(options.target);
        if (!options.source.empty()) {
            const auto source = parse_endpoint(options.source);
            if (bind(fd_, as_sockaddr(source), sizeof source) != 0)
                throw std::runtime_error("cannot bind " + options.source);
        }
        if (connect(fd_, as_sockaddr(target), sizeof target) != 0)
            throw std::runtime_error("cannot connect to " + options.target);
        for (std::size_t i = 0; i < kBatch; ++i) {
            in_vectors_[i] = {in_[i].data(), kAnswerBytes};
            in_messages_[i].msg_hdr.msg_iov = &in_vectors_[i];
            in_messages_[i].msg_hdr.msg_iovlen = 1;
            out_messages_[i].msg_hdr.msg_iov = &out_vectors_[i];
            out_messages_[i].msg_hdr.msg_iovlen = 1;
        }
    }
    ~Lane() { close(fd_); }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    [[nodiscard]] int fd() const { return fd_; }
    [[nodiscard]] std::size_t in_flight() const {
        return static_cast<std::size_t>(
            std::count_if(slots_.begin(), slots_.end(), [](const Slot& s) { return s.busy; })
        );
    }

    // Fills the free slots with the next queries.
    void send_next(const std::vector<Query>& queries, std::size_t& next, Totals& totals) {
        std::size_t count = 0;
        const auto now = Clock::now();
        for (std::size_t i = 0; i < slots_.size() && count < kBatch; ++i) {
            auto& slot = slots_[i];
            if (slot.busy) continue;
            slot = {&queries[next], fresh_id(i), now, true};
            next = (next + 1) % queries.size();
            stage(slot, out_[count]);
            out_vectors_[count] = {out_[count].data(), slot.query->packet.size()};
            staged_[count++] = i;
        }
        if (count == 0) return;
        const auto sent =
            std::max(0, sendmmsg(fd_, out_messages_.data(), static_cast<unsigned>(count), 0));
        totals.sent += static_cast<std::uint64_t>(sent);
        for (auto i = static_cast<std::size_t>(sent); i < count; ++i)
            slots_[staged_[i]].busy = false;
    }

    // Takes what has arrived; false when nothing had.
    bool receive(Totals& totals) {
        const auto count = recvmmsg(fd_, in_messages_.data(), kBatch, MSG_DONTWAIT, nullptr);
        for (int i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            take(in_[at].data(), in_messages_[at].msg_len, totals);
        }
        return count > 0;
    }

    void expire(Clock::time_point now, Totals& totals) {
        for (auto& slot : slots_)
            if (slot.busy && now - slot.sent_at > options_.timeout)
                slot.busy = false, ++totals.lost;
    }

private:
    std::uint16_t fresh_id(std::size_t index) {
        const auto generations = 65'536 / slots_.size();
        generation_ = (generation_ + 1) % generations;
        return static_cast<std::uint16_t>(generation_ * slots_.size() + index);
    }

    static void stage(const Slot& slot, std::array<std::uint8_t, 512>& buffer) {
        std::memcpy(buffer.data(), slot.query->packet.data(), slot.query->packet.size());
        buffer[0] = static_cast<std::uint8_t>(slot.id >> 8);
        buffer[1] = static_cast<std::uint8_t>(slot.id);
    }

    void take(const std::uint8_t* answer, std::size_t size, Totals& totals) {
        if (size < 12) {
            ++totals.unexpected;
            return;
        }
        const auto id = static_cast<std::uint16_t>(answer[0] << 8 | answer[1]);
        auto& slot = slots_[id % slots_.size()];
        if (!slot.busy || slot.id != id) {
            ++totals.unexpected;
            return;
        }
        slot.busy = false;
        ++totals.answered;
        if (!is_right(*slot.query, answer, size)) ++totals.wrong;
    }

    [[nodiscard]] bool is_right(const Query& query, const std::uint8_t* answer, std::size_t size)
        const {
        const bool is_response = (answer[2] & 0x80) != 0;
        if (!options_.check || !is_response) return is_response;
        if (query.rcode >= 0 && (answer[3] & 0x0f) != query.rcode) return false;
        if (size < query.question_end ||
            std::memcmp(answer + 12, query.packet.data() + 12, query.question_end - 12) != 0)
            return false;
        return query.rdata.empty() || memmem(
                                          answer + query.question_end,
                                          size - query.question_end,
                                          query.rdata.data(),
                                          query.rdata.size()
                                      ) != nullptr;
    }

    const Options& options_;
    int fd_ = -1;
    std::vector<Slot> slots_;
    std::size_t generation_ = 0;
    std::array<std::array<std::uint8_t, kAnswerBytes>, kBatch> in_;
    std::array<std::array<std::uint8_t, 512>, kBatch> out_;
    std::array<iovec, kBatch> in_vectors_{};
    std::array<iovec, kBatch> out_vectors_{};
    std::array<mmsghdr, kBatch> in_messages_{};
    std::array<mmsghdr, kBatch> out_messages_{};
    std::array<std::size_t, kBatch> staged_{};
};

using Lanes = std::vector<std::unique_ptr<Lane>>;

void wait_for_any(const Lanes& lanes) {
    std::vector<pollfd> fds;
    for (const auto& lane : lanes) fds.push_back({lane->fd(), POLLIN, 0});
    poll(fds.data(), fds.size(), 20);
}

void drain(const Lanes& lanes, Totals& totals) {
    const auto busy = [](const auto& lane) { return lane->in_flight() > 0; };
    while (std::any_of(lanes.begin(), lanes.end(), busy)) {
        wait_for_any(lanes);
        for (const auto& lane : lanes) {
            lane->receive(totals);
            lane->expire(Clock::now(), totals);
        }
    }
}

double run(const Options& options, const std::vector<Query>& queries, Totals& totals) {
    Lanes lanes;
    for (std::size_t i = 0; i < options.sockets; ++i)
        lanes.push_back(std::make_unique<Lane>(options, options.window / options.sockets));
    std::size_t next = 0;
    const auto start = Clock::now();
    const auto end =
        start +
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    for (const auto& lane : lanes) lane->send_next(queries, next, totals);
    for (auto now = start; now < end; now = Clock::now()) {
        bool any = false;
        for (const auto& lane : lanes) {
            if (!lane->receive(totals)) continue;
            any = true;
            lane->send_next(queries, next, totals);
        }
        if (any) continue;
        wait_for_any(lanes);
        for (const auto& lane : lanes) {
            lane->expire(now, totals);
            lane->send_next(queries, next, totals);
        }
    }
    drain(lanes, totals);
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void print(const Totals& totals, double seconds) {
    std::printf(
        "{\"sent\":%llu,\"answered\":%llu,\"lost\":%llu,\"wrong\":%llu,\"unexpected\":%llu,"
        "\"seconds\":%.4f,\"rate\":%.0f}\n",
        static_cast<unsigned long long>(totals.sent),
        static_cast<unsigned long long>(totals.answered),
        static_cast<unsigned long long>(totals.lost),
        static_cast<unsigned long long>(totals.wrong),
        static_cast<unsigned long long>(totals.unexpected),
        seconds,
        static_cast<double>(totals.answered) / seconds
    );
}

}  // namespace
}  // namespace twinsite::bench

int main(int argc, char** argv) {
    using namespace twinsite::bench;
    Options options;
    CLI::App app{"Closed-loop DNS load over UDP"};
    app.add_option("--target", options.target, "IP:PORT of the server")->required();
    app.add_option("--mix", options.mix, "static, static-nx or steered-ecs");
    app.add_option("--file", options.file, "lines NAME TYPE [SUBNET] instead of a mix");
    app.add_option("--source", options.source, "address to send from");
    app.add_option("--seconds", options.seconds, "how long to send");
    app.add_option("--window", options.window, "queries in flight, over all sockets");
    app.add_option("--sockets", options.sockets, "sockets")->check(CLI::Range(1, 64));
    app.add_flag("--check,!--no-check", options.check, "compare answers with what is expected");
    CLI11_PARSE(app, argc, argv);
    try {
        constexpr std::size_t kQueries = 65'536;
        const auto queries = options.file.empty() ? make_mix(options.mix, kQueries, MixSizes{})
                                                  : read_query_file(options.file);
        if (queries.empty() || options.window < options.sockets)
            throw std::runtime_error("no queries, or fewer in flight than sockets");
        Totals totals;
        const auto seconds = run(options, queries, totals);
        print(totals, seconds);
        return totals.answered == 0 ? 1 : 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "udp_generator: %s\n", failure.what());
        return 2;
    }
}
