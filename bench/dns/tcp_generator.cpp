// SPDX-License-Identifier: Apache-2.0
// DNS load over TCP: a few connections with queries pipelined on each, or a connection for each
// query. Checks every answer and prints one JSON object, as udp_generator does.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "bench/dns/query_mix.hpp"

namespace twinsite::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    std::string target;
    std::string mix = "static";
    double seconds = 1;
    std::size_t connections = 16;
    std::size_t window = 128;   // queries in flight, over all connections
    bool one_each = false;      // a connection for each query
    std::uint64_t queries = 0;  // stop after so many; 0: after `seconds`
    bool check = true;
};

struct Totals {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    std::uint64_t lost = 0;
    std::uint64_t wrong = 0;
};

struct Source {
    const std::vector<Query>& queries;
    std::size_t next = 0;
    bool open = true;  ///< more may be sent
};

class Connection {
public:
    Connection(const Options& options, int poller, const sockaddr_in& target)
        : options_(options), poller_(poller), target_(target) {}
    ~Connection() { close(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    std::size_t in_flight() const { return waiting_.size() - first_; }

    void open() {
        fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
        const void* const raw = &target_;
        if (::connect(fd_, static_cast<const sockaddr*>(raw), sizeof target_) != 0)
            throw std::runtime_error(std::string("cannot connect: ") + std::strerror(errno));
        const int one = 1;
        ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (options_.one_each) {
            // Closed by a reset, or the ports would all wait.
            const linger reset{1, 0};
            ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        }
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = this;
        ::epoll_ctl(poller_, EPOLL_CTL_ADD, fd_, &event);
    }

    /// Sends as many queries as the window has room for, in one write.
    void fill(Source& source, Totals& totals) {
        const std::size_t most =
            options_.one_each ? 1
                              : std::max<std::size_t>(options_.window / options_.connections, 1);
        out_.clear();
        while (source.open && in_flight() < most) {
            const Query& query = source.queries[source.next];
            source.next = (source.next + 1) % source.queries.size();
            const std::size_t size = query.packet.size();
            out_.push_back(static_cast<std::uint8_t>(size >> 8));
            out_.push_back(static_cast<std::uint8_t>(size));
            out_.push_back(static_cast<std::uint8_t>(id_ >> 8));
            out_.push_back(static_cast<std::uint8_t>(id_));
            out_.insert(out_.end(), query.packet.begin() + 2, query.packet.end());
            waiting_.push_back({&query, id_++});
            ++totals.sent;
            if (options_.queries != 0 && totals.sent >= options_.queries) source.open = false;
        }
        // Small against the socket's buffer: always taken whole.
        if (!out_.empty() && ::send(fd_, out_.data(), out_.size(), MSG_NOSIGNAL) !=
                                 static_cast<ssize_t>(out_.size()))
            throw std::runtime_error("the server does not read");
    }

    void on_readable(Source& source, Totals& totals) {
        const ssize_t got = ::recv(fd_, in_.data() + have_, in_.size() - have_, MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            totals.lost += in_flight();
            throw std::runtime_error("the server closed a connection");
        }
        have_ += static_cast<std::size_t>(got);
        std::size_t at = 0;
        while (have_ - at >= 2) {
            const std::size_t size = std::size_t{in_[at]} << 8 | in_[at + 1];
            if (have_ - at < 2 + size) break;
            take(in_.data() + at + 2, size, totals);
            at += 2 + size;
        }
        have_ -= at;
        std::memmove(in_.data(), in_.data() + at, have_);
        if (options_.one_each && in_flight() == 0) {
            close();
            if (!source.open) return;
            open();
        }
        fill(source, totals);
    }

private:
    struct Sent {
        const Query* query;
        std::uint16_t id;
    };

    void take(const std::uint8_t* answer, std::size_t size, Totals& totals) {
        if (in_flight() == 0) throw std::runtime_error("an answer too many");
        const Sent sent = waiting_[first_++];
        if (first_ == waiting_.size()) {
            waiting_.clear();
            first_ = 0;
        }
        ++totals.answered;
        const bool ours = size >= 12 && (answer[0] << 8 | answer[1]) == sent.id;
        if (!ours || !is_right(*sent.query, answer, size)) ++totals.wrong;
    }

    bool is_right(const Query& query, const std::uint8_t* answer, std::size_t size) const {
        if (!options_.check) return (answer[2] & 0x80) != 0;
        if ((answer[2] & 0x80) == 0 || (query.rcode >= 0 && (answer[3] & 0x0f) != query.rcode))
            return false;
        return query.rdata.empty() || ::memmem(
                                          answer + query.question_end,
                                          size - query.question_end,
                                          query.rdata.data(),
                                          query.rdata.size()
                                      ) != nullptr;
    }

    void close() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
        have_ = 0;
    }

    const Options& options_;
    const int poller_;
    const sockaddr_in& target_;
    int fd_ = -1;
    std::uint16_t id_ = 0;
    std::vector<Sent> waiting_;
    std::size_t first_ = 0;
    std::vector<std::uint8_t> out_;
    std::array<std::uint8_t, 1 << 17> in_;
    std::size_t have_ = 0;
};

sockaddr_in parse_endpoint(const std::string& text) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    const auto colon = text.find(':');
    if (colon == std::string::npos ||
        ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &out.sin_addr) != 1)
        throw std::runtime_error("bad address " + text);
    out.sin_port = htons(static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1))));
    return out;
}

double run(const Options& options, const std::vector<Query>& queries, Totals& totals) {
    const auto target = parse_endpoint(options.target);
    const int poller = ::epoll_create1(0);
    std::vector<std::unique_ptr<Connection>> all;
    Source source{queries};
    const auto start = Clock::now();
    for (std::size_t i = 0; i < options.connections; ++i) {
        all.push_back(std::make_unique<Connection>(options, poller, target));
        all.back()->open();
        all.back()->fill(source, totals);
    }
    const auto end =
        start +
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    const auto patience = end + std::chrono::seconds(2);
    std::array<epoll_event, 128> events;
    while (totals.answered < totals.sent || source.open) {
        const int count = ::epoll_wait(poller, events.data(), events.size(), 20);
        for (int i = 0; i < count; ++i)
            static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr)
                ->on_readable(source, totals);
        const auto now = Clock::now();
        if (options.queries == 0 && now >= end) source.open = false;
        if (!source.open && now > patience) break;
    }
    totals.lost = totals.sent - totals.answered;
    ::close(poller);
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace
}  // namespace twinsite::bench

int main(int argc, char** argv) {
    using namespace twinsite::bench;
    Options options;
    CLI::App app{"DNS load over TCP"};
    app.add_option("--target", options.target, "IP:PORT of the server")->required();
    app.add_option("--mix", options.mix, "as for udp_generator");
    app.add_option("--seconds", options.seconds, "how long to send");
    app.add_option("--queries", options.queries, "send so many instead");
    app.add_option("--connections", options.connections, "at a time")->check(CLI::Range(1, 256));
    app.add_option("--window", options.window, "queries in flight, over all connections");
    app.add_flag("--one-each", options.one_each, "a connection for each query");
    app.add_flag("--check,!--no-check", options.check, "compare answers with what is expected");
    CLI11_PARSE(app, argc, argv);
    try {
        const auto queries = make_mix(options.mix, 65'536, MixSizes{});
        if (queries.empty()) throw std::runtime_error("no such mix");
        Totals totals;
        const auto seconds = run(options, queries, totals);
        std::printf(
            "{\"sent\":%llu,\"answered\":%llu,\"lost\":%llu,\"wrong\":%llu,\"unexpected\":0,"
            "\"seconds\":%.4f,\"rate\":%.0f}\n",
            static_cast<unsigned long long>(totals.sent),
            static_cast<unsigned long long>(totals.answered),
            static_cast<unsigned long long>(totals.lost),
            static_cast<unsigned long long>(totals.wrong),
            seconds,
            static_cast<double>(totals.answered) / seconds
        );
        return totals.answered == 0 ? 1 : 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "tcp_generator: %s\n", failure.what());
        return 2;
    }
}
