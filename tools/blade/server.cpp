// SPDX-License-Identifier: Apache-2.0
#include "tools/blade/server.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>

#include "tools/io/sockets.hpp"

namespace twinsite::tools::blade {

using namespace wire::diameter;
using std::chrono::nanoseconds;

namespace {

constexpr std::uint64_t kListenerTag = ~std::uint64_t{0};
constexpr std::uint64_t kSignalTag = kListenerTag - 1;
/// Reads of one link in one turn, so that a flood on one does not starve the others.
constexpr int kMaxReadsPerTurn = 4;
/// Peer timers are seconds long; looking at all of them this often costs nothing.
constexpr auto kTimerCheck = std::chrono::milliseconds(20);
constexpr auto kLongestFarewell = std::chrono::seconds(1);
constexpr auto kStatsPeriod = std::chrono::seconds(1);
/// A peer that reads nothing while it asks on: stop answering it before memory runs out.
constexpr std::size_t kMaxUnsentBytes = std::size_t{64} << 20;

Identity identity_of(const Options& options) {
    Identity self;
    self.host = options.host;
    self.realm = options.realm;
    self.product = "Twinsite blade";
    self.auth_applications = {application::kCreditControl};
    // Larger after each restart: our sessions are in memory only.
    self.state_id = static_cast<std::uint32_t>(std::time(nullptr));
    return self;
}

}  // namespace

struct Server::Link {
    Link(
        base::file::Descriptor socket, const Identity& self, PeerConfig config, std::uint32_t number
    )
        : stream(std::move(socket)),
          peer(
              self,
              std::move(config),
              [random = std::mt19937(number)]() mutable {
                  return static_cast<std::uint32_t>(random());
              }
          ),
          generation(number) {}

    io::Stream stream;
    Peer peer;
    std::uint32_t generation;
    io::OutputBuffer delayed;
    bool marked = false;
    bool waits_for_room = false;
    bool closing = false;  ///< close when all is written, answers not due yet included
    Time close_by{};
};

Server::Server(Options options)
    : options_(std::move(options)),
      self_(identity_of(options_)),
      signals_(io::stop_signals()),
      charging_({self_, options_.strict, options_.result_code}) {}

Server::~Server() = default;

base::Result<base::net::Endpoint> Server::listen() {
    auto listener = io::listen_on(options_.listen);
    if (!listener) return listener.error();
    listener_ = std::move(*listener);
    poller_.add(listener_.number(), kListenerTag);
    poller_.add(signals_.number(), kSignalTag);
    return io::local_endpoint(listener_).value_or(options_.listen);
}

void Server::run() {
    while (!stopping_ || link_stats_.open > 0) turn();
    write_stats_file(Time::max());
}

std::string Server::stats() const {
    return to_json(charging_.stats(), charging_.open_sessions(), link_stats_);
}

std::optional<nanoseconds> Server::time_to_wait(Time now) const {
    Time until = Time::max();
    if (link_stats_.open > 0) until = next_timer_check_;
    if (!options_.stats_file.empty()) until = std::min(until, next_stats_);
    if (!delayed_.empty()) until = std::min(until, delayed_.front().due);
    if (until == Time::max()) return std::nullopt;
    return std::max(nanoseconds::zero(), nanoseconds(until - now));
}

void Server::turn() {
    const auto ready = poller_.wait(time_to_wait(std::chrono::steady_clock::now()));
    const Time now = std::chrono::steady_clock::now();
    for (const auto& event : ready) {
        if (event.tag == kSignalTag) {
            stop(now);
        } else if (event.tag == kListenerTag) {
            accept_all(now);
        } else if (links_[event.tag]) {
            if (event.writable) mark(event.tag);
            if (event.readable) read_from(event.tag, now);
        }
    }
    release_due(now);
    check_timers(now);
    flush_all();
    write_stats_file(now);
}

void Server::accept_all(Time now) {
    while (auto socket = io::accept_from(listener_)) {
        const auto local = io::local_endpoint(*socket);
        std::size_t index = links_.size();
        if (free_.empty()) {
            links_.emplace_back();
        } else {
            index = free_.back();
            free_.pop_back();
        }
        PeerConfig config;
        config.watchdog = options_.watchdog;
        poller_.add(socket->number(), index);
        links_[index] = std::make_unique<Link>(
            std::move(*socket), self_, std::move(config), next_generation_++
        );
        ++link_stats_.accepted;
        ++link_stats_.open;
        feed(index, Event::transport_up(local ? std::optional(local->address) : std::nullopt), now);
    }
}

void Server::mark(std::size_t index) {
    Link& link = *links_[index];
    if (link.marked) return;
    link.marked = true;
    touched_.push_back(index);
}

void Server::read_from(std::size_t index, Time now) {
    for (int reads = 0; reads < kMaxReadsPerTurn && links_[index]; ++reads) {
        Link& link = *links_[index];
        bool filled = false;
        const auto got = link.stream.read(filled);
        if (got == io::Stream::Read::lost) {
            feed(index, Event::transport_lost(), now);
            if (links_[index]) close(index);
            return;
        }
        if (got == io::Stream::Read::nothing) return;
        if (link.closing)
            link.stream.framer().reset();  // too late; but unread bytes would turn FIN into RST
        else
            take_messages(index, now);
        if (!filled) return;
    }
}

void Server::take_messages(std::size_t index, Time now) {
    Link& link = *links_[index];
    link.peer.heard(now);
    while (const auto message = link.stream.framer().next()) {
        const HeaderView header(*message);
        const bool ordinary = !header.is_of_base_protocol() && !check_bits(header) &&
                              header.is_request() && link.peer.delivers(true);
        if (!ordinary) {
            feed(index, Event::message(*message), now);
            if (link.closing) return;
            continue;
        }
        if (options_.delay == options_.delay.zero()) {
            charging_.answer(*message, link.stream.out());
            mark(index);
            continue;
        }
        const std::size_t before = link.delayed.size();
        charging_.answer(*message, link.delayed);
        delayed_.push_back(
            {now + options_.delay, index, link.generation, link.delayed.size() - before}
        );
    }
    if (const auto fault = link.stream.framer().fault()) {
        ++link_stats_.bad_streams;
        feed(index, Event::bad_stream(*fault, link.stream.framer().rest()), now);
    }
}

void Server::feed(std::size_t index, const Event& event, Time now) {
    Link& link = *links_[index];
    link.peer.step(event, now, actions_);
    link.stream.out().append(actions_.send);
    if (actions_.close) {
        link.closing = true;
        link.close_by = now + kLongestFarewell;
    }
    mark(index);
}

void Server::release_due(Time now) {
    while (!delayed_.empty() && delayed_.front().due <= now) {
        const Delayed next = delayed_.front();
        delayed_.pop_front();
        Link* const link = links_[next.link].get();
        if (link == nullptr || link->generation != next.generation) {
            ++link_stats_.lost_answers;
            continue;
        }
        link->stream.out().append(link->delayed.content().first(next.bytes));
        link->delayed.drop(next.bytes);
        mark(next.link);
    }
}

void Server::check_timers(Time now) {
    if (now < next_timer_check_) return;
    next_timer_check_ = now + kTimerCheck;
    for (std::size_t index = 0; index < links_.size(); ++index) {
        if (!links_[index]) continue;
        if (links_[index]->closing && links_[index]->close_by <= now) {
            close(index);
            continue;
        }
        const auto& timer = links_[index]->peer.timer();
        if (timer.armed && timer.at <= now) feed(index, Event::timer(timer.generation), now);
    }
}

void Server::flush_all() {
    for (const std::size_t index : touched_) {
        if (!links_[index]) continue;
        links_[index]->marked = false;
        flush(index);
    }
    touched_.clear();
}

void Server::flush(std::size_t index) {
    Link& link = *links_[index];
    if (!link.stream.flush() || link.stream.out().size() > kMaxUnsentBytes) return close(index);
    const bool waits = !link.stream.out().empty();
    if (link.closing && !waits && link.delayed.empty()) {
        io::shut_down_writing(link.stream.socket());
        return close(index);
    }
    if (waits != link.waits_for_room) {
        link.waits_for_room = waits;
        poller_.change(link.stream.socket().number(), index, waits);
    }
}

void Server::close(std::size_t index) {
    poller_.remove(links_[index]->stream.socket().number());
    links_[index].reset();
    free_.push_back(index);
    --link_stats_.open;
}

void Server::stop(Time now) {
    if (stopping_) return;
    stopping_ = true;
    poller_.remove(signals_.number());
    poller_.remove(listener_.number());
    listener_.close();
    for (std::size_t index = 0; index < links_.size(); ++index)
        if (links_[index]) feed(index, Event::stop(DisconnectCause::rebooting), now);
}

void Server::write_stats_file(Time now) {
    if (options_.stats_file.empty() || now < next_stats_) return;
    next_stats_ = now == Time::max() ? now : now + kStatsPeriod;
    const auto fresh = options_.stats_file + ".new";
    std::ofstream(fresh) << stats() << '\n';
    std::rename(fresh.c_str(), options_.stats_file.c_str());
}

}  // namespace twinsite::tools::blade
