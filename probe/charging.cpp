// SPDX-License-Identifier: Apache-2.0
#include "probe/charging.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>

#include "base/async/deadline.hpp"
#include "base/async/token.hpp"
#include "base/net/asio.hpp"
#include "base/net/resolver.hpp"
#include "base/text/text.hpp"
#include "probe/measure.hpp"
#include "wire/diameter/credit_control.hpp"
#include "wire/diameter/framer.hpp"
#include "wire/diameter/header.hpp"
#include "wire/diameter/peer.hpp"

namespace twinsite::probe {

namespace asio = boost::asio;
namespace diameter = wire::diameter;
using asio::awaitable;
using base::Error;
using base::Result;
using base::async::as_result;
using base::net::Endpoint;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// What the service said, when it said something.
struct Verdict {
    std::string fault;  ///< Empty: good.
    std::string note;
};

std::uint32_t diameter_time() {
    constexpr std::uint32_t kFrom1900To1970 = 2'208'988'800U;  // RFC 6733 section 4.3.1
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(since).count(
           )) +
           kFrom1900To1970;
}

diameter::Identity identity_of(const ChargingProbe::Settings& settings) {
    diameter::Identity out;
    out.host = settings.origin_host;
    out.realm = settings.origin_realm;
    out.product = "Twinsite probe";
    out.auth_applications = {diameter::application::kCreditControl};
    return out;
}

diameter::PeerConfig as_initiator(milliseconds limit) {
    diameter::PeerConfig out;
    out.role = diameter::Role::initiator;
    // The run has a deadline of its own: the timers of the link never come first.
    out.handshake_timeout = out.grace = limit;
    return out;
}

/// One Diameter link, for as long as a run takes.
class Link {
public:
    Link(
        asio::any_io_executor executor, const ChargingProbe::Settings& settings, milliseconds limit
    )
        : settings_(settings),
          socket_(std::move(executor)),
          peer_(identity_of(settings), as_initiator(limit), [] { return 1U; }) {}

    awaitable<Result<void>> connect(Endpoint to);
    /// Reads until the link is open; a refused or broken handshake is an error.
    awaitable<Result<void>> open();
    awaitable<Result<void>> send(std::vector<std::uint8_t> message);
    /// The next answer for the application; lives until the next read.
    awaitable<Result<std::span<const std::uint8_t>>> receive();
    awaitable<Result<void>> leave();
    bool is_open() const { return peer_.is_open(); }
    std::uint32_t refusal() const { return peer_.refusal(); }

private:
    awaitable<Result<void>> step(diameter::Event event);
    awaitable<Result<void>> read_message();

    const ChargingProbe::Settings& settings_;
    asio::ip::tcp::socket socket_;
    diameter::Peer peer_;
    diameter::Actions actions_;
    diameter::Framer framer_;
    std::span<const std::uint8_t> delivered_;
};

awaitable<Result<void>> Link::connect(Endpoint to) {
    Error failure;
    const auto target = base::net::to_tcp(to);
    socket_.open(target.protocol(), failure);
    if (!failure && settings_.source)
        socket_.bind({base::net::to_asio(*settings_.source), 0}, failure);
    if (failure) co_return failure;
    auto started = co_await step(diameter::Event::start());
    if (!started) co_return started;
    const auto [refused] = co_await socket_.async_connect(target, as_result);
    if (refused) co_return refused;
    const auto local = base::net::from_asio(socket_.local_endpoint(failure)).address;
    auto up = co_await step(diameter::Event::transport_up(local));
    co_return up;
}

awaitable<Result<void>> Link::step(diameter::Event event) {
    delivered_ = {};
    peer_.step(event, steady_clock::now(), actions_);
    if (actions_.deliver) delivered_ = event.bytes;
    if (!actions_.send.empty()) {
        const auto bytes = asio::buffer(actions_.send);
        const auto [failure, size] = co_await asio::async_write(socket_, bytes, as_result);
        if (failure) co_return failure;
    }
    if (actions_.down || actions_.close) co_return Error(asio::error::connection_reset);
    co_return Result<void>();
}

awaitable<Result<void>> Link::read_message() {
    while (true) {
        if (const auto message = framer_.next()) {
            const auto event = diameter::Event::message(*message);
            auto stepped = co_await step(event);
            co_return stepped;
        }
        if (framer_.fault()) co_return Error(asio::error::invalid_argument);
        const auto room = framer_.prepare();
        const auto buffer = asio::buffer(room.data(), room.size());
        const auto [failure, size] = co_await socket_.async_read_some(buffer, as_result);
        if (failure) co_return failure;
        framer_.commit(size);
    }
}

awaitable<Result<void>> Link::open() {
    while (!peer_.is_open()) {
        auto read = co_await read_message();
        if (!read) co_return read;
    }
    co_return Result<void>();
}

awaitable<Result<void>> Link::send(std::vector<std::uint8_t> message) {
    const auto bytes = asio::buffer(message);
    const auto [failure, size] = co_await asio::async_write(socket_, bytes, as_result);
    if (failure) co_return failure;
    co_return Result<void>();
}

awaitable<Result<std::span<const std::uint8_t>>> Link::receive() {
    while (true) {
        const auto read = co_await read_message();
        if (!read) co_return read.error();
        if (!delivered_.empty() && !diameter::HeaderView(delivered_.data()).is_request())
            co_return delivered_;
    }
}

awaitable<Result<void>> Link::leave() {
    const auto stop = diameter::Event::stop(diameter::DisconnectCause::do_not_want_to_talk);
    auto sent = co_await step(stop);
    while (sent && peer_.state() == diameter::PeerState::closing) {
        sent = co_await read_message();  // the DPA; then the link counts as down
    }
    co_return sent;
}

/// The requests of one short session, initial and termination.
class Session {
public:
    Session(const ChargingProbe::Settings& settings, std::uint32_t seed, std::uint32_t run)
        : settings_(settings),
          id_(settings.origin_host + ";" + std::to_string(seed) + ";" + std::to_string(run)) {}

    std::vector<std::uint8_t> request(diameter::CcRequestType type, std::uint32_t number) const {
        diameter::CcrFields fields;
        fields.session = id_;
        fields.origin_host = settings_.origin_host;
        fields.origin_realm = settings_.origin_realm;
        fields.destination_realm = settings_.destination_realm;
        fields.subscriber = settings_.subscriber;
        fields.type = type;
        fields.number = number;
        fields.event_timestamp = diameter_time();
        std::vector<std::uint8_t> out;
        diameter::build_ccr(out, fields, number + 1, number + 1);
        return out;
    }

    /// Why `answer` is not the good answer to the request of this number; "" when it is.
    std::string fault_of(std::span<const std::uint8_t> answer, std::uint32_t number) const {
        diameter::CreditControlAnswer read;
        if (diameter::HeaderView(answer.data()).end_to_end() != number + 1)
            return "answer to nothing";
        if (!diameter::read_cca(answer, read)) return "malformed answer";
        if (!read.result_code) return "answer without Result-Code";
        if (*read.result_code != diameter::result::kSuccess)
            return "Result-Code " + std::to_string(*read.result_code);
        if (read.session != id_) return "answer to another session";
        return {};
    }

private:
    const ChargingProbe::Settings& settings_;
    const std::string id_;
};

std::string origin_of(std::span<const std::uint8_t> answer) {
    diameter::CreditControlAnswer read;
    return diameter::read_cca(answer, read) ? base::text::printable(read.origin_host) : "?";
}

awaitable<Result<Verdict>> charge(Link& link, Session session, Endpoint at) {
    using diameter::CcRequestType;
    Verdict out;
    auto opened = co_await link.open();
    if (!opened && link.refusal() != 0) {
        out.fault = "link refused with " + std::to_string(link.refusal());
        co_return out;
    }
    if (!opened) co_return opened.error();
    auto initial = session.request(CcRequestType::initial, 0);
    const auto sent = co_await link.send(std::move(initial));
    if (!sent) co_return sent.error();
    const auto answer = co_await link.receive();
    if (!answer) co_return answer.error();
    out.fault = session.fault_of(*answer, 0);
    out.note = origin_of(*answer) + " through " + base::net::to_string(at);
    co_return out;
}

/// Best effort: the verdict stands already.
awaitable<Result<void>> tidy_up(Link& link, Session session) {
    auto termination = session.request(diameter::CcRequestType::termination, 1);
    const auto sent = co_await link.send(std::move(termination));
    if (!sent) co_return sent.error();
    const auto answer = co_await link.receive();
    if (!answer) co_return answer.error();
    auto left = co_await link.leave();
    co_return left;
}

base::net::Resolver::Config lookup_of(const ChargingProbe::Settings& settings, milliseconds limit) {
    base::net::Resolver::Config out;
    out.servers = settings.servers;
    out.bind = settings.source;
    // A silent name server must leave time for the next one and for the call itself.
    const auto share = limit / static_cast<int>(settings.servers.size() + 1);
    out.timeout = std::min(share, milliseconds(300));
    return out;
}

}  // namespace

awaitable<Outcome> ChargingProbe::run(milliseconds limit) {
    const Stopwatch watch;
    const auto deadline = steady_clock::now() + limit;
    const auto left = [deadline] {
        const auto rest = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
        return std::max(rest, milliseconds(1));
    };
    const auto executor = co_await asio::this_coro::executor;
    base::net::Resolver resolver(executor, lookup_of(settings_, limit));
    auto lookup = resolver.find_v4(settings_.question);
    const auto found = co_await base::async::with_deadline(std::move(lookup), left());
    if (!found) co_return watch.bad("name not resolved: " + words_for(found.error()));
    if (found->empty()) co_return watch.bad("name not resolved: no address");

    const Endpoint at{found->front(), settings_.port};
    Link link(executor, settings_, limit);
    auto connecting = link.connect(at);
    const auto connected = co_await base::async::with_deadline(std::move(connecting), left());
    auto failed = watch.failed(connected ? Error() : connected.error());
    failed.note = base::net::to_string(at);
    if (!connected) co_return failed;

    const Session session(settings_, seed_, runs_++);
    auto charging = charge(link, session, at);
    auto verdict = co_await base::async::with_deadline(std::move(charging), left());
    if (!verdict) {
        failed = watch.failed(verdict.error());
        failed.note = base::net::to_string(at);
        co_return failed;
    }
    auto out = verdict->fault.empty() ? watch.good() : watch.bad(verdict->fault);
    out.note = verdict->note;
    if (!link.is_open()) co_return out;
    auto rest = tidy_up(link, session);
    const auto tidied = co_await base::async::with_deadline(std::move(rest), left());
    static_cast<void>(tidied);  // what is left open ends with the connection
    co_return out;
}

}  // namespace twinsite::probe
