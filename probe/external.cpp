// SPDX-License-Identifier: Apache-2.0
#include "probe/external.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <unistd.h>

#include "base/async/deadline.hpp"
#include "base/async/race.hpp"
#include "base/async/token.hpp"
#include "base/file/ownership.hpp"
#include "base/text/text.hpp"
#include "probe/child.hpp"
#include "probe/measure.hpp"

namespace twinsite::probe {

namespace asio = boost::asio;
using asio::awaitable;
using asio::posix::stream_descriptor;
using base::Result;
using base::async::as_result;

namespace {

Child::Command command_of(const ExternalAsk& ask, const Place& place) {
    return {
        ask.command,
        {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
         "LANG=C",
         "TWINSITE_ADDRESS=" + base::text::to_string(place.target.address),
         "TWINSITE_PORT=" + std::to_string(place.target.port)}
    };
}

void keep(std::string& output, std::string_view more) {
    output += more.substr(0, ExternalProbe::kOutputBytes - output.size());
}

/// Reads as long as there is something, so that the program never waits for us; keeps only the
/// beginning. Ends by being cancelled: a closed output is not the end of the program.
awaitable<Result<void>> read_output(stream_descriptor& from, std::string& output) {
    std::array<char, 4096> buffer;
    const auto into = asio::buffer(buffer);
    while (true) {
        const auto [failure, size] = co_await from.async_read_some(into, as_result);
        if (failure == asio::error::operation_aborted) co_return failure;
        if (failure) break;
        keep(output, {buffer.data(), size});
    }
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer forever(executor, asio::steady_timer::time_point::max());
    co_await forever.async_wait(as_result);
    co_return Result<void>();
}

awaitable<Result<void>> wait_for_end(stream_descriptor& end) {
    const auto [failure] = co_await end.async_wait(stream_descriptor::wait_read, as_result);
    if (failure) co_return failure;
    co_return Result<void>();
}

/// What was written last may still be in the pipe.
void read_rest(stream_descriptor& from, std::string& output) {
    std::array<char, 4096> buffer;
    base::Error failure;
    from.non_blocking(true, failure);
    while (!failure && output.size() < ExternalProbe::kOutputBytes) {
        const auto size = from.read_some(asio::buffer(buffer), failure);
        if (!failure) keep(output, {buffer.data(), size});
    }
}

awaitable<Result<int>> watch_child(Child& child, std::string& output) {
    const auto executor = co_await asio::this_coro::executor;
    stream_descriptor from(executor, child.take_output().release());
    stream_descriptor end(executor, child.take_end_signal().release());
    auto ending = wait_for_end(end);
    auto reading = read_output(from, output);
    const auto raced = co_await base::async::race(std::move(ending), std::move(reading));
    if (!raced.first) co_return raced.first.error();
    read_rest(from, output);
    co_return child.status().value_or(-1);
}

std::string first_line(const std::string& output) {
    constexpr std::size_t kLongest = 200;
    const auto line = output.substr(0, std::min(output.find('\n'), kLongest));
    return line.empty() ? "" : ": " + base::text::printable(line);
}

}  // namespace

awaitable<Outcome> ExternalProbe::run(std::chrono::milliseconds limit) {
    const Stopwatch watch;
    const auto& program = ask_.command.front();
    const auto distrust = base::file::distrust_of(program);
    if (!distrust.empty()) co_return watch.not_possible(program + ": " + distrust);
    auto child = Child::start(command_of(ask_, place_));
    if (!child) co_return watch.not_possible(program + ": " + child.error().message());
    std::string output;
    auto watching = watch_child(*child, output);
    const auto ended = co_await base::async::with_deadline(std::move(watching), limit);
    if (!ended) {
        auto out = watch.failed(ended.error());
        out.error += first_line(output);
        co_return out;
    }
    Outcome out = watch.good();
    if (*ended > 0) out = watch.bad("exit status " + std::to_string(*ended) + first_line(output));
    if (*ended < 0)
        out = watch.bad("ended by signal " + std::to_string(-*ended) + first_line(output));
    out.note = base::text::printable(output);
    co_return out;
}

}  // namespace twinsite::probe
