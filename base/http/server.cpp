// SPDX-License-Identifier: Apache-2.0
#include "base/http/server.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <optional>
#include <span>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>

#include "base/async/deadline.hpp"
#include "base/async/task_group.hpp"
#include "base/async/token.hpp"
#include "base/http/error.hpp"
#include "base/http/parser.hpp"
#include "base/http/stream.hpp"
#include "base/http/tls.hpp"
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
constexpr std::size_t kReadBytes = 8192;

struct Session {
    std::unique_ptr<Stream> stream;
    async::TaskGroup::Id task = 0;
    bool answering = false;  ///< From handler to last byte: `stop` waits for it.
    std::optional<Clock::time_point> idle_since;
    std::array<char, kReadBytes> buffer;
};

awaitable<Result<void>> read_more(Session& session, RequestReader& reader) {
    const std::span<char> into(session.buffer);
    const auto size = co_await session.stream->read_some(into);
    if (!size) co_return size.error();
    co_return reader.feed(std::string_view(session.buffer.data(), *size));
}

awaitable<Result<void>> read_rest(Session& session, RequestReader& reader) {
    while (!reader.done()) {
        if (reader.take_expectation()) {
            const auto sent = co_await session.stream->write_all("HTTP/1.1 100 Continue\r\n\r\n");
            if (!sent) co_return sent.error();
        }
        auto more = co_await read_more(session, reader);
        if (!more) co_return more.error();
    }
    co_return Result<void>();
}

awaitable<Result<void>> drop_input(Session& session) {
    auto ended = co_await session.stream->shut_down();
    if (!ended) co_return ended.error();
    const std::span<char> into(session.buffer);
    for (;;) {
        const auto size = co_await session.stream->read_some(into);
        if (!size) co_return size.error();
    }
}

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

    template <class Acceptor, class MakeStream>
    void listen(std::shared_ptr<Acceptor> acceptor, MakeStream make_stream) {
        close_listeners_.push_back([acceptor] {
            Error ignored;
            acceptor->close(ignored);
        });
        accepting_.start(accept(shared_from_this(), std::move(acceptor), std::move(make_stream)));
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

    template <class Acceptor, class MakeStream>
    static awaitable<void> accept(
        std::shared_ptr<State> self, std::shared_ptr<Acceptor> acceptor, MakeStream make_stream
    );
    static awaitable<void> serve(std::shared_ptr<State> self, std::shared_ptr<Session> session);
    static awaitable<void> finish(std::shared_ptr<State> self, std::function<void()> stopped);
    awaitable<Result<void>> next_request(Session& session, RequestReader& reader);
    awaitable<Result<void>> send(Session& session, std::string bytes);
    awaitable<bool> answer(Session& session, RequestReader& reader);

    void admit(std::unique_ptr<Stream> stream);
    bool make_room();
    Response respond(Request& request) const;
    void count(const Error& failure);

    // fixed after construction
    asio::io_context& io_;
    const Router& router_;
    const Limits limits_;

    // owned by the loop's thread
    bool stopping_ = false;
    ServerCounters counters_;
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
    listen(std::move(acceptor), [](asio::local::stream_protocol::socket socket) {
        return make_stream(std::move(socket));
    });
}

template <class Acceptor, class MakeStream>
awaitable<void> Server::State::accept(
    std::shared_ptr<State> self, std::shared_ptr<Acceptor> acceptor, MakeStream make_stream
) {
    log::Throttle throttle(std::chrono::seconds(10));
    while (!self->stopping_) {
        auto [failure, socket] = co_await acceptor->async_accept(as_result);
        if (failure == asio::error::operation_aborted || !acceptor->is_open()) co_return;
        if (!failure) {
            self->admit(make_stream(std::move(socket)));
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

void Server::State::admit(std::unique_ptr<Stream> stream) {
    if (sessions_.size() >= limits_.connections && !make_room()) {
        ++counters_.refused;
        stream->close();
        return;
    }
    ++counters_.accepted;
    auto session = std::make_shared<Session>();
    session->stream = std::move(stream);
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

awaitable<void> Server::State::serve(
    std::shared_ptr<State> self, std::shared_ptr<Session> session
) {
    const Seat seat(*self, session);
    if (self->stopping_) co_return;
    const auto hello =
        co_await with_deadline(session->stream->handshake(), self->limits_.handshake);
    if (!hello) {
        self->count(hello.error());
        co_return;
    }
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
    co_await with_deadline(drop_input(*session), kLinger);
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

Response Server::State::respond(Request& request) const {
    if (!split_target(request))
        return problem(400, "Bad request", "The target is not a valid path.");
    return router_.handle(request);
}

/// False: the connection ends here.
awaitable<bool> Server::State::answer(Session& session, RequestReader& reader) {
    const bool wants_more = reader.keep_alive();
    auto request = reader.take();
    if (stopping_) co_return false;
    session.answering = true;  // a handler may call `stop`
    ++counters_.requests;
    request.peer_identity = session.stream->peer_identity();
    const auto response = respond(request);
    const bool keep_alive = wants_more && !stopping_;
    auto bytes = serialize(response, keep_alive, request.method != "HEAD");
    const auto sent = co_await send(session, std::move(bytes));
    co_return sent&& keep_alive && !stopping_;
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
    for (const auto& session : sessions_)
        if (!session->answering) serving_.cancel(session->task);
    if (stopped) closing_.start(finish(shared_from_this(), std::move(stopped)));
}

awaitable<void> Server::State::finish(std::shared_ptr<State> self, std::function<void()> stopped) {
    co_await self->serving_.wait();
    stopped();
}

void Server::State::abort() {
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
    state_->listen(std::move(shared), [](asio::ip::tcp::socket socket) {
        return make_stream(std::move(socket));
    });
    return bound;
}

Result<net::Endpoint> Server::listen_tls(const net::Endpoint& at, const TlsServer& tls) {
    auto context = TlsContext::for_server(tls);
    if (!context) return context.error();
    auto acceptor = net::listen_tcp(state_->io().get_executor(), at);
    if (!acceptor) return acceptor.error();
    const auto bound = net::from_asio(acceptor->local_endpoint());
    auto shared = std::make_shared<asio::ip::tcp::acceptor>(std::move(*acceptor));
    state_->listen(std::move(shared), [context = *context](asio::ip::tcp::socket socket) {
        return make_tls_server_stream(std::move(socket), context);
    });
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
