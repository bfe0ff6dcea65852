// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/element.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/async/backoff.hpp"
#include "base/async/token.hpp"
#include "base/net/asio.hpp"
#include "cli/demo/finder.hpp"
#include "wire/diameter/framer.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::cli::demo {

namespace asio = boost::asio;
namespace diameter = wire::diameter;
using asio::awaitable;
using base::async::as_result;
using base::net::Endpoint;
using namespace std::chrono_literals;

namespace {

constexpr auto kConnectLimit = 1s;
/// So long without a good answer, while one is awaited: leave the link and ask DNS again.
constexpr auto kPatience = 1s;
constexpr auto kOutage = 500ms;

std::chrono::milliseconds outage_limit(int rate) {
    // At low rates the usual distance of two answers is no outage.
    return std::max<std::chrono::milliseconds>(kOutage, 3'000ms / rate);
}

// Enough sessions that a request is always at hand at the wanted rate.
std::size_t sessions_for(int rate) {
    return static_cast<std::size_t>(std::max(20, rate / 5));
}

std::uint32_t wall_seconds() {
    return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(
                                          std::chrono::system_clock::now().time_since_epoch()
    )
                                          .count());
}

std::string host_of(const Element::Config& config) {
    return "ne1." + config.site + ".example.net";
}

// The blades are called b1.east.example.net: the second label is the site.
std::size_t site_of(const std::string& origin_host, const std::string& own_site) {
    for (std::size_t i = 0; i < kSites.size(); ++i)
        if (origin_host.find("." + std::string(kSites[i]) + ".") != std::string::npos) return i;
    return own_site == kSites[0] ? 0 : 1;
}

diameter::Identity identity_of(const Element::Config& config) {
    diameter::Identity out;
    out.host = host_of(config);
    out.realm = "example.net";
    out.product = "Twinsite demo";
    out.state_id = wall_seconds();
    out.auth_applications = {diameter::application::kCreditControl};
    return out;
}

diameter::PeerConfig peer_config() {
    diameter::PeerConfig out;
    out.role = diameter::Role::initiator;
    out.watchdog = 6s;
    out.handshake_timeout = kConnectLimit;
    out.grace = 300ms;
    return out;
}

}  // namespace

class Element::State {
public:
    State(asio::any_io_executor executor, Config config, Note note, OnOutage on_outage)
        : config_(std::move(config)),
          note_(std::move(note)),
          on_outage_(std::move(on_outage)),
          random_(config_.seed),
          executor_(executor),
          socket_(executor),
          pause_(executor),
          finder_(executor, config_.client, config_.name_servers),
          backoff_(50ms, 1s, [this] { return random_(); }),
          peer_(
              identity_of(config_),
              peer_config(),
              [this] { return static_cast<std::uint32_t>(random_()); }
          ),
          charging_(
              {host_of(config_), "example.net", "example.net"},
              sessions_for(config_.rate),
              config_.seed
          ),
          ledger_(outage_limit(config_.rate)) {}

    awaitable<void> run();
    void tick(Time now);
    void leave(Time now);

    const Config config_;
    const Note note_;
    const OnOutage on_outage_;
    std::mt19937_64 random_;

    // owned by the executor's thread
    asio::any_io_executor executor_;
    asio::ip::tcp::socket socket_;
    asio::steady_timer pause_;
    Finder finder_;
    base::async::Backoff backoff_;
    diameter::Peer peer_;
    diameter::Actions actions_;
    diameter::Framer framer_;
    Charging charging_;
    Ledger ledger_;
    std::vector<std::uint8_t> out_;
    std::optional<Endpoint> link_;       ///< Of the open link.
    std::optional<Time> connect_limit_;  ///< While connecting.
    std::optional<Time> waiting_since_;  ///< A good answer is awaited since then.
    std::optional<Time> last_tick_;
    double due_ = 0;  ///< Requests that the rate allows now.
    bool leaving_ = false;

private:
    awaitable<void> serve(Endpoint target);
    awaitable<bool> connect(Endpoint target);
    void read_messages(Time now);
    void answered(std::span<const std::uint8_t> message, Time now);
    void step(const diameter::Event& event, Time now);
    void opened(Time now);
    void send_due(Time now);
    void abandon(Time now);
    void flush();
    void close();
};

awaitable<void> Element::State::run() {
    while (!leaving_) {
        const auto found = co_await finder_.find(std::string(kServiceName), kDiameterPort);
        if (leaving_) break;
        if (found) {
            const auto target = *found;
            co_await serve(target);
        } else {
            note_("no name server answers: " + found.error().message());
        }
        if (leaving_) break;
        pause_.expires_after(backoff_.next());
        const auto [ended] = co_await pause_.async_wait(as_result);
        static_cast<void>(ended);  // early or in time: the loop looks anew
    }
}

awaitable<bool> Element::State::connect(Endpoint target) {
    const auto to = base::net::to_tcp(target);
    const auto from = base::net::to_tcp(Endpoint{config_.client, 0});
    boost::system::error_code failure;
    socket_ = asio::ip::tcp::socket(executor_);
    socket_.open(to.protocol(), failure);
    if (!failure) socket_.bind(from, failure);
    if (!failure) {
        connect_limit_ = std::chrono::steady_clock::now() + kConnectLimit;
        const auto [refused] = co_await socket_.async_connect(to, as_result);
        connect_limit_.reset();
        failure = refused;
    }
    if (failure) {
        const bool silent = failure == asio::error::operation_aborted;
        note_(
            "cannot connect to " + base::net::to_string(target) + ": " +
            (silent ? std::string("no answer") : failure.message())
        );
        close();
        co_return false;
    }
    socket_.non_blocking(true, failure);
    socket_.set_option(asio::ip::tcp::no_delay(true), failure);
    co_return true;
}

awaitable<void> Element::State::serve(Endpoint target) {
    step(diameter::Event::start(), std::chrono::steady_clock::now());
    const bool connected = co_await connect(target);
    if (!connected) {
        step(diameter::Event::transport_failed(), std::chrono::steady_clock::now());
        co_return;
    }
    framer_.reset();
    out_.clear();
    link_ = target;
    step(diameter::Event::transport_up(config_.client), std::chrono::steady_clock::now());
    flush();
    while (socket_.is_open()) {
        const auto room = framer_.prepare();
        const auto buffer = asio::buffer(room.data(), room.size());
        const auto [failure, size] = co_await socket_.async_read_some(buffer, as_result);
        const auto now = std::chrono::steady_clock::now();
        if (failure) {
            step(diameter::Event::transport_lost(), now);
            break;
        }
        framer_.commit(size);
        read_messages(now);
        flush();
    }
    close();
    if (!leaving_)
        note_(
            "link to " + base::net::to_string(target) +
            " ended: " + std::string(diameter::to_string(peer_.down_cause()))
        );
    link_.reset();
}

void Element::State::read_messages(Time now) {
    while (auto message = framer_.next()) {
        step(diameter::Event::message(*message), now);
        if (!socket_.is_open()) return;
    }
    if (const auto fault = framer_.fault())
        step(diameter::Event::bad_stream(*fault, framer_.rest()), now);
}

void Element::State::step(const diameter::Event& event, Time now) {
    peer_.step(event, now, actions_);
    out_.insert(out_.end(), actions_.send.begin(), actions_.send.end());
    if (actions_.deliver && !diameter::HeaderView(event.bytes).is_request())
        answered(event.bytes, now);
    if (actions_.opened) opened(now);
    if (actions_.close) {
        flush();
        close();
    }
}

void Element::State::opened(Time now) {
    note_("link to " + base::net::to_string(*link_) + " is open");
    due_ = 0;
    charging_.repeat_pending(out_);
    waiting_since_.reset();
    if (charging_.pending() > 0) waiting_since_ = now;
}

void Element::State::answered(std::span<const std::uint8_t> message, Time now) {
    const auto outcome = charging_.answer(message, now);
    if (!outcome.expected) return;  // to a request whose first copy was answered elsewhere
    if (!outcome.good) {
        ledger_.not_good();
        return;
    }
    backoff_.reset();
    waiting_since_.reset();
    const auto site = site_of(outcome.origin_host, config_.site);
    if (const auto outage = ledger_.good(site, now, outcome.latency)) on_outage_(*outage);
}

void Element::State::tick(Time now) {
    const auto before = std::exchange(last_tick_, now).value_or(now);
    if (connect_limit_ && now >= *connect_limit_) close();
    const auto timer = peer_.timer();
    if (timer.armed && timer.at <= now) step(diameter::Event::timer(timer.generation), now);
    if (!socket_.is_open() || !peer_.is_open()) return;
    if (waiting_since_ && now - *waiting_since_ > kPatience) {
        abandon(now);
        return;
    }
    const std::chrono::duration<double> passed = now - before;
    // After a pause of ours there is no burst to catch up: at most a tenth of a second's worth.
    due_ = std::min(due_ + passed.count() * config_.rate, std::max(1.0, config_.rate / 10.0));
    send_due(now);
    flush();
}

void Element::State::send_due(Time now) {
    const auto wall = wall_seconds();
    for (; due_ >= 1; due_ -= 1) {
        if (!charging_.next_request(out_, now, wall)) return;
        if (!waiting_since_) waiting_since_ = now;
    }
}

// Frozen or without blades, the peer may still read: say why before going.
void Element::State::abandon(Time now) {
    note_("no good answer from " + base::net::to_string(*link_) + " for 1 s: asking DNS again");
    step(diameter::Event::stop(diameter::DisconnectCause::do_not_want_to_talk), now);
    flush();
    step(diameter::Event::transport_lost(), now);
    close();
}

void Element::State::leave(Time now) {
    leaving_ = true;
    finder_.cancel();
    pause_.cancel();
    if (socket_.is_open() && peer_.is_open())
        step(diameter::Event::stop(diameter::DisconnectCause::do_not_want_to_talk), now);
    else
        close();
    flush();
}

// Sends what the kernel takes now; the rest goes with the next tick.
void Element::State::flush() {
    if (out_.empty() || !socket_.is_open() || connect_limit_) return;
    boost::system::error_code failure;
    const auto sent = socket_.write_some(asio::buffer(out_), failure);
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent));
    if (failure && failure != asio::error::would_block) close();
}

void Element::State::close() {
    boost::system::error_code ignored;  // it is closed afterwards in any case
    socket_.close(ignored);
}

Element::Element(asio::any_io_executor executor, Config config, Note note, OnOutage on_outage)
    : state_(std::make_unique<State>(
          std::move(executor), std::move(config), std::move(note), std::move(on_outage)
      )) {}

Element::~Element() = default;

awaitable<void> Element::run() {
    return state_->run();
}

void Element::tick(Time now) {
    state_->tick(now);
}

void Element::finish() {
    state_->charging_.finish();
}

bool Element::finished() const {
    return state_->charging_.all_ended();
}

void Element::leave(Time now) {
    state_->leave(now);
}

const Element::Config& Element::config() const {
    return state_->config_;
}

Ledger& Element::ledger() {
    return state_->ledger_;
}

std::size_t Element::pending() const {
    return state_->charging_.pending();
}

std::optional<Endpoint> Element::link() const {
    if (!state_->peer_.is_open()) return std::nullopt;
    return state_->link_;
}

}  // namespace twinsite::cli::demo
