// SPDX-License-Identifier: Apache-2.0
#include "base/http/server.hpp"

#include <algorithm>
#include <list>
#include <optional>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>

#include "base/async/deadline.hpp"
#include "base/async/task_group.hpp"
#include "base/async/token.hpp"
#include "base/http/error.hpp"
#include "base/http/event_writer.hpp"
#include "base/http/parser.hpp"
#include "base/http/session.hpp"
#include "base/http/stream.hpp"
#include "base/http/tls_files.hpp"
#include "base/http/unix_socket.hpp"
#include "base/log/log.hpp"
#include "base/net/asio.hpp"
#include "base/net/listen.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
using asio::awaitable;
using async::as_result;
using async::with_deadline;
using Clock = std::chrono::steady_clock;

namespace {

/// After the last answer: how long to take and drop what the client still sends. Closing with
/// unread bytes would reset the connection, and the client might lose the answer.
constexpr std::chrono::milliseconds kLinger{500};
/// Pause after an accept that failed for want of descriptors or memory.
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::string_view kStops = "The server stops.";

/// The answer to a request that could not be read; nullopt when nobody would hear it.
std::optional<Response> answer_to(const Error& failure) {
    if (failure == Errc::header_too_large)
        return problem(431, "Header too large", "The request's header is larger than the limit.");
    if (failure == Errc::body_too_large)
        return problem(413, "Body too large", "The request's body is larger than the limit.");
    if (failure == Errc::malformed)
        return problem(400, "Bad request", "The request is not valid HTTP/1.1.");
    if (failure == asio::error::timed_out)
        return problem(408, "Request timeout", "The request did not arrive in time.");
    return std::nullopt;
}

}  // namespace

class Server::State : public std::enable_shared_from_this<Server::State> {
public:
    State(asio::io_context& io, const Router& router, Limits limits)
        : io_(io),
          router_(router),
          limits_(limits),
          accepting_(io.get_executor()),
          serving_(io.get_executor()),
          closing_(io.get_executor()) {}

    template <class Acceptor>
    void listen(std::shared_ptr<Acceptor> acceptor, std::shared_ptr<TlsFiles> tls = nullptr) {
        close_listeners_.push_back([acceptor] {
            Error ignored;
            acceptor->close(ignored);
        });
        if (tls) accepting_.start(watch_files(shared_from_this(), tls));
        accepting_.start(accept(shared_from_this(), std::move(acceptor), std::move(tls)));
    }
    void listen(UnixListener listener);
    void stop(std::function<void()> stopped);
    void abort();

    asio::io_context& io() { return io_; }
    const ServerCounters& counters() const { return counters_; }
    std::size_t connections() const { return sessions_.size(); }

private:
    /// A session's place in the list, as long as its coroutine lives.
    class Seat {
    public:
        Seat(State& state, std::shared_ptr<Session> session)
            : state_(state), at_(state.sessions_.insert(state.sessions_.end(), session)) {}
        ~Seat() { state_.sessions_.erase(at_); }
        Seat(const Seat&) = delete;
        Seat& operator=(const Seat&) = delete;

    private:
        State& state_;
        std::list<std::shared_ptr<Session>>::iterator at_;
    };

    template <class Acceptor>
    static awaitable<void> accept(
        std::shared_ptr<State> self,
        std::shared_ptr<Acceptor> acceptor,
        std::shared_ptr<TlsFiles> tls
    );
    static awaitable<void> watch_files(
        std::shared_ptr<State> self, std::shared_ptr<TlsFiles> files
    );
    static awaitable<void> serve(std::shared_ptr<State> self, std::shared_ptr<Session> session);
    static awaitable<void> finish(std::shared_ptr<State> self, std::function<void()> stopped);
    awaitable<Result<void>> next_request(Session& session, RequestReader& reader);
    awaitable<Result<void>> send(Session& session, std::string bytes);
    awaitable<bool> shake_hands(Session& session);
    awaitable<bool> answer(Session& session, RequestReader& reader);
    awaitable<bool> send_events(Session& session, std::shared_ptr<EventStream> events);

    void admit(std::unique_ptr<Stream> stream, const std::shared_ptr<TlsFiles>& tls);
    bool make_room();
    Outcome respond(Session& session, Request& request) const;
    void cut_off_distrusted(const TlsFiles& files);
    void count(const Error& failure);
    void tell_refusal(const Session& session, const Error& failure);

    // fixed after construction
    asio::io_context& io_;
    const Router& router_;
    const Limits limits_;

    // owned by the loop's thread
    bool stopping_ = false;
    ServerCounters counters_;
    log::Throttle refusals_{std::chrono::seconds(10)};
    std::vector<std::function<void()>> close_listeners_;
    std::list<std::shared_ptr<Session>> sessions_;
    async::TaskGroup accepting_;
    async::TaskGroup serving_;
    async::TaskGroup closing_;
};

void Server::State::listen(UnixListener listener) {
    auto shared = std::make_shared<UnixListener>(std::move(listener));
    // The acceptor's owner is the listener, whose file is removed with it.
    std::shared_ptr<asio::local::stream_protocol::acceptor> acceptor(shared, &shared->acceptor);
    close_listeners_.push_back([shared] { remove_socket_file(*shared); });
    listen(std::move(acceptor));
}

namespace {

std::unique_ptr<Stream> wrap(asio::ip::tcp::socket socket, const TlsFiles* tls) {
    if (!tls) return make_stream(std::move(socket));
    return make_tls_server_stream(std::move(socket), tls->context());
}
std::unique_ptr<Stream> wrap(asio::local::stream_protocol::socket socket, const TlsFiles*) {
    return make_stream(std::move(socket));
}

}  // namespace

template <class Acceptor>
awaitable<void> Server::State::accept(
    std::shared_ptr<State> self, std::shared_ptr<Acceptor> acceptor, std::shared_ptr<TlsFiles> tls
) {
    log::Throttle throttle(std::chrono::seconds(10));
    while (!self->stopping_) {
        auto [failure, socket] = co_await acceptor->async_accept(as_result);
        if (failure == asio::error::operation_aborted || !acceptor->is_open()) co_return;
        if (!failure) {
            self->admit(wrap(std::move(socket), tls.get()), tls);
            continue;
        }
        if (failure == asio::error::connection_aborted) continue;
        std::uint64_t held_back = 0;
        if (throttle.allow(Clock::now(), held_back)) {
            log::event(
                log::Level::warning,
                "http_accept_failed",
                {{"error", failure.message()}, {"held_back", held_back}}
            );
        }
        co_await async::sleep_for(kAcceptPause);
    }
}

awaitable<void> Server::State::watch_files(
    std::shared_ptr<State> self, std::shared_ptr<TlsFiles> files
) {
    while (!self->stopping_) {
        co_await async::sleep_for(file::Watch::kPeriod);
        if (files->refresh()) self->cut_off_distrusted(*files);
    }
}

void Server::State::cut_off_distrusted(const TlsFiles& files) {
    for (const auto& session : sessions_) {
        if (session->tls.get() != &files || session->stream->trusted_by(*files.context())) continue;
        ++counters_.distrusted;
        log::event(
            log::Level::warning,
            "tls_peer_cut_off",
            {{"peer", session->stream->peer_address()},
             {"identity", session->stream->peer_identity()}}
        );
        serving_.cancel(session->task);
    }
}

void Server::State::admit(std::unique_ptr<Stream> stream, const std::shared_ptr<TlsFiles>& tls) {
    if (sessions_.size() >= limits_.connections && !make_room()) {
        ++counters_.refused;
        stream->close();
        return;
    }
    ++counters_.accepted;
    auto session = std::make_shared<Session>();
    session->stream = std::move(stream);
    session->tls = tls;
    session->task = serving_.start(serve(shared_from_this(), session));
}

/// Ends the session that has been idle longest. It leaves the list a moment later, so the limit
/// may be exceeded by those on their way out.
bool Server::State::make_room() {
    std::shared_ptr<Session> oldest;
    for (const auto& session : sessions_)
        if (session->idle_since && (!oldest || *session->idle_since < *oldest->idle_since))
            oldest = session;
    if (!oldest) return false;
    oldest->idle_since.reset();
    serving_.cancel(oldest->task);
    return true;
}

void Server::State::count(const Error& failure) {
    if (failure == asio::error::timed_out) ++counters_.timed_out;
    if (failure.category() == category() && failure != Errc::closed_early) ++counters_.malformed;
}

void Server::State::tell_refusal(const Session& session, const Error& failure) {
    ++counters_.distrusted;
    std::uint64_t held_back = 0;
    if (!refusals_.allow(Clock::now(), held_back)) return;
    log::event(
        log::Level::warning,
        "tls_peer_refused",
        {{"peer", session.stream->peer_address()},
         {"error", failure.message()},
         {"certificate", session.stream->distrust()},
         {"held_back", held_back}}
    );
}

/// False: the connection ends here.
awaitable<bool> Server::State::shake_hands(Session& session) {
    const auto hello = co_await with_deadline(session.stream->handshake(), limits_.handshake);
    if (!hello) {
        count(hello.error());
        if (is_tls_refusal(hello.error())) tell_refusal(session, hello.error());
        co_return false;
    }
    // The files may have changed since the first byte.
    const bool trusted = !session.tls || session.stream->trusted_by(*session.tls->context());
    if (!trusted) ++counters_.distrusted;
    co_return trusted;
}

awaitable<void> Server::State::serve(
    std::shared_ptr<State> self, std::shared_ptr<Session> session
) {
    const Seat seat(*self, session);
    if (self->stopping_) co_return;
    const bool welcome = co_await self->shake_hands(*session);
    if (!welcome) co_return;
    RequestReader reader(self->limits_.header_bytes, self->limits_.body_bytes);
    bool go_on = true;
    while (go_on) {
        const auto got = co_await self->next_request(*session, reader);
        if (got) {
            go_on = co_await self->answer(*session, reader);
            continue;
        }
        self->count(got.error());
        const auto reply = reader.begun() ? answer_to(got.error()) : std::nullopt;
        if (!reply) co_return;
        auto bytes = serialize(*reply, false, true);
        co_await self->send(*session, std::move(bytes));
        go_on = false;
    }
    co_await with_deadline(say_goodbye(*session), kLinger);
    session->stream->close();
}

awaitable<Result<void>> Server::State::next_request(Session& session, RequestReader& reader) {
    auto resumed = reader.resume();
    if (!resumed) co_return resumed.error();
    if (!reader.begun()) {
        session.idle_since = Clock::now();
        auto first = co_await with_deadline(read_more(session, reader), limits_.idle);
        session.idle_since.reset();
        if (!first) co_return first.error();
    }
    auto rest = co_await with_deadline(read_rest(session, reader), limits_.read);
    co_return rest;
}

Outcome Server::State::respond(Session& session, Request& request) const {
    if (!split_target(request))
        return problem(400, "Bad request", "The target is not a valid path.");
    request.peer_identity = session.stream->peer_identity();
    request.peer_address = session.stream->peer_address();
    return router_.dispatch(request);
}

/// False: the connection ends here.
awaitable<bool> Server::State::answer(Session& session, RequestReader& reader) {
    const bool wants_more = reader.keep_alive();
    auto request = reader.take();
    if (stopping_) co_return false;
    session.answering = true;  // a handler may call `stop`
    ++counters_.requests;
    auto outcome = respond(session, request);
    if (auto* events = std::get_if<std::shared_ptr<EventStream>>(&outcome)) {
        const bool more = co_await send_events(session, std::move(*events));
        co_return more;
    }
    if (auto* pending = std::get_if<std::shared_ptr<PendingAnswer>>(&outcome)) {
        if (stopping_) (*pending)->give_up(given_up(kStops));
        auto given = co_await await_answer(session, reader, std::move(*pending), limits_.later);
        if (!given) co_return false;
        outcome = std::move(*given);
    }
    const bool keep_alive = wants_more && !stopping_;
    auto bytes = serialize(std::get<Response>(outcome), keep_alive, request.method != "HEAD");
    const auto sent = co_await send(session, std::move(bytes));
    co_return sent&& keep_alive && !stopping_;
}

/// A stream ends with its connection: always false.
awaitable<bool> Server::State::send_events(Session& session, std::shared_ptr<EventStream> events) {
    session.answering = false;
    if (!stopping_) {
        const auto task = session.task;
        auto cut = [this, task] { serving_.cancel(task); };
        co_await carry_events(session, std::move(events), limits_.write, std::move(cut));
    }
    co_return false;
}

awaitable<Result<void>> Server::State::send(Session& session, std::string bytes) {
    session.answering = true;
    const auto sent = co_await with_deadline(session.stream->write_all(bytes), limits_.write);
    session.answering = false;
    if (sent) co_return Result<void>();
    count(sent.error());
    co_return sent.error();
}

void Server::State::stop(std::function<void()> stopped) {
    stopping_ = true;
    for (const auto& close : close_listeners_) close();
    close_listeners_.clear();
    accepting_.cancel();
    for (const auto& session : sessions_) {
        if (!session->answering) serving_.cancel(session->task);
        if (const auto pending = session->pending) pending->give_up(given_up(kStops));
    }
    if (stopped) closing_.start(finish(shared_from_this(), std::move(stopped)));
}

awaitable<void> Server::State::finish(std::shared_ptr<State> self, std::function<void()> stopped) {
    co_await self->serving_.wait();
    stopped();
}

void Server::State::abort() {
    // Whose handlers these are may be gone by now.
    for (const auto& session : sessions_) {
        if (session->pending) session->pending->end(false);
        if (session->events) EventWriter::end(*session->events, false);
    }
    stop({});
    closing_.cancel();
    serving_.cancel();
    for (const auto& session : sessions_) session->stream->close();
}

Server::Server(asio::io_context& io, const Router& router, Limits limits)
    : state_(std::make_shared<State>(io, router, limits)) {}

Server::~Server() {
    state_->abort();
}

Result<net::Endpoint> Server::listen_tcp(const net::Endpoint& at) {
    auto acceptor = net::listen_tcp(state_->io().get_executor(), at);
    if (!acceptor) return acceptor.error();
    const auto bound = net::from_asio(acceptor->local_endpoint());
    auto shared = std::make_shared<asio::ip::tcp::acceptor>(std::move(*acceptor));
    state_->listen(std::move(shared));
    return bound;
}

Result<net::Endpoint> Server::listen_tls(const net::Endpoint& at, const TlsServer& tls) {
    auto files = TlsFiles::for_server(tls);
    if (!files) return files.error();
    auto acceptor = net::listen_tcp(state_->io().get_executor(), at);
    if (!acceptor) return acceptor.error();
    const auto bound = net::from_asio(acceptor->local_endpoint());
    auto shared = std::make_shared<asio::ip::tcp::acceptor>(std::move(*acceptor));
    state_->listen(std::move(shared), std::move(*files));
    return bound;
}

Result<void> Server::listen_unix(const std::string& path, unsigned mode) {
    auto listener = listen_on_unix(state_->io().get_executor(), path, mode);
    if (!listener) return listener.error();
    state_->listen(std::move(*listener));
    return {};
}

void Server::stop(std::function<void()> stopped) {
    state_->stop(std::move(stopped));
}
const ServerCounters& Server::counters() const {
    return state_->counters();
}
std::size_t Server::connections() const {
    return state_->connections();
}

}  // namespace twinsite::base::http
