// SPDX-License-Identifier: Apache-2.0
#include "base/http/connection.hpp"

#include <utility>

#include <boost/asio/error.hpp>

#include "base/async/deadline.hpp"
#include "base/http/connect.hpp"
#include "base/http/tls_files.hpp"

namespace twinsite::base::http {

namespace asio = boost::asio;
using asio::awaitable;

/// Outlives its Connection as long as a request runs.
struct Connection::State {
    explicit State(Target to) : target(std::move(to)) {}

    class InUse;
    static awaitable<Result<Response>> send(
        std::shared_ptr<State> self,
        Request request,
        std::chrono::milliseconds limit,
        std::uint64_t answer_bytes
    );
    awaitable<Result<Response>> attempt(const Request& request, std::uint64_t answer_bytes);
    awaitable<Result<Response>> exchange(const Request& request, std::uint64_t answer_bytes);
    awaitable<Result<void>> open();
    Result<void> take_files();
    void cut();

    const Target target;
    std::shared_ptr<TlsFiles> files;
    std::unique_ptr<Stream> stream;
    bool busy = false;
    bool is_cut = false;    ///< `close` was called while busy.
    bool answered = false;  ///< A byte of the current answer has come.
};

/// While a request runs. Unless `keep` is called the stream goes with it: after a failure, and when
/// the coroutine is destroyed, nobody knows what is on its way in it.
class Connection::State::InUse {
public:
    explicit InUse(State& state) : state_(state) { state_.busy = true; }
    ~InUse() {
        state_.busy = false;
        if (!keep_) state_.stream.reset();
    }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    void keep() { keep_ = true; }

private:
    State& state_;
    bool keep_ = false;
};

void Connection::State::cut() {
    is_cut = busy;
    // A stream in use is destroyed by who uses it.
    if (!busy)
        stream.reset();
    else if (stream)
        stream->close();
}

/// A changed certificate is shown, and a changed list of the revoked asked, on a new connection.
Result<void> Connection::State::take_files() {
    if (!target.tls || !target.unix_socket.empty()) return {};
    if (files) {
        if (files->refresh()) stream.reset();
        return {};
    }
    auto opened = TlsFiles::for_client(*target.tls);
    if (!opened) return opened.error();
    files = std::move(*opened);
    return {};
}

awaitable<Result<void>> Connection::State::open() {
    auto made = co_await connect(target, files ? files->context() : nullptr);
    if (!made) co_return made.error();
    if (is_cut) co_return Error(asio::error::operation_aborted);
    stream = std::move(*made);
    co_return Result<void>();
}

awaitable<Result<Response>> Connection::State::exchange(
    const Request& request, std::uint64_t answer_bytes
) {
    answered = false;
    auto bytes = serialize(request, host_of(target), true);
    const auto sent = co_await write_request(*stream, std::move(bytes));
    if (!sent) co_return sent.error();
    ResponseReader reader(kAnswerHeaderBytes, answer_bytes, request.method == "HEAD");
    const Wanted wanted{answer_bytes};
    auto response = co_await read_response(*stream, reader, wanted);
    answered = reader.begun();
    if (!reader.reusable()) stream.reset();
    co_return response;
}

awaitable<Result<Response>> Connection::State::attempt(
    const Request& request, std::uint64_t answer_bytes
) {
    if (auto taken = take_files(); !taken) co_return taken.error();
    if (stream) {
        auto response = co_await exchange(request, answer_bytes);
        const bool closed =
            !response && !answered && !is_cut && response.error() != asio::error::operation_aborted;
        if (!closed) co_return response;
        stream.reset();  // the server had given it up while it was idle
    }
    auto opened = co_await open();
    if (!opened) co_return opened.error();
    auto response = co_await exchange(request, answer_bytes);
    co_return response;
}

awaitable<Result<Response>> Connection::State::send(
    std::shared_ptr<State> self,
    Request request,
    std::chrono::milliseconds limit,
    std::uint64_t answer_bytes
) {
    if (self->busy) co_return Error(asio::error::in_progress);
    InUse in_use(*self);
    self->is_cut = false;
    auto work = self->attempt(request, answer_bytes);
    auto response = co_await async::with_deadline(std::move(work), limit);
    if (response && !self->is_cut) in_use.keep();
    co_return response;
}

Connection::Connection(asio::any_io_executor, Target target)
    : state_(std::make_shared<State>(std::move(target))) {}

Connection::~Connection() {
    state_->cut();
}

awaitable<Result<Response>> Connection::send(
    Request request, std::chrono::milliseconds limit, std::uint64_t answer_bytes
) {
    return State::send(state_, std::move(request), limit, answer_bytes);
}

void Connection::close() {
    state_->cut();
}

bool Connection::open() const {
    return state_->stream != nullptr && !state_->is_cut;
}

}  // namespace twinsite::base::http
