// SPDX-License-Identifier: Apache-2.0
#include "base/async/deadline.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "base/async/task_group.hpp"
#include "base/async/token.hpp"
#include "tests/support/loop.hpp"

namespace twinsite::base::async {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

asio::awaitable<Result<std::string>> after(std::chrono::milliseconds delay, std::string value) {
    co_await sleep_for(delay);
    co_return value;
}

asio::awaitable<Result<std::string>> fails() {
    co_await sleep_for(1ms);
    co_return Error(asio::error::connection_refused);
}

asio::awaitable<Result<std::string>> throws() {
    co_await sleep_for(1ms);
    throw std::runtime_error("unexpected");
}

/// Says when its frame goes.
struct Guard {
    bool& gone;
    ~Guard() { gone = true; }
};

asio::awaitable<Result<void>> sleeps_for_ever(bool& gone) {
    const Guard guard{gone};
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, 24h);
    const auto [failure] = co_await timer.async_wait(as_result);
    co_return failure;
}

TEST(WithDeadline, GivesTheResultOrErrorOfWorkThatIsInTime) {
    asio::io_context io;
    EXPECT_EQ(tests::run_to_end(io, with_deadline(after(1ms, "done"), 10s)).value(), "done");
    EXPECT_EQ(
        tests::run_to_end(io, with_deadline(fails(), 10s)).error(), asio::error::connection_refused
    );
}

TEST(WithDeadline, WorkThatNeverSuspendsIsInTime) {
    asio::io_context io;
    EXPECT_EQ(tests::run_to_end(io, with_deadline(after(0ms, "now"), 10s)).value(), "now");
}

TEST(WithDeadline, CancelsWorkThatIsLateAndWaitsForItsEnd) {
    asio::io_context io;
    bool gone = false;
    const auto before = std::chrono::steady_clock::now();
    const auto result = tests::run_to_end(io, with_deadline(sleeps_for_ever(gone), 30ms));
    EXPECT_EQ(result.error(), asio::error::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - before, 30ms);
    EXPECT_TRUE(gone);
}

TEST(WithDeadline, AnExceptionOfTheWorkComesOutAtOnce) {
    asio::io_context io;
    const auto before = std::chrono::steady_clock::now();
    EXPECT_THROW(tests::run_to_end(io, with_deadline(throws(), 10s)), std::runtime_error);
    EXPECT_LT(std::chrono::steady_clock::now() - before, 5s) << "not only at the deadline";
}

asio::awaitable<void> record(bool& gone, Error& seen) {
    const auto result = co_await with_deadline(sleeps_for_ever(gone), 24h);
    seen = result.error();
}

TEST(WithDeadline, CancelledFromOutsideIsNotATimeOut) {
    asio::io_context io;
    TaskGroup tasks(io.get_executor());
    bool gone = false;
    Error seen;
    tasks.start(record(gone, seen));
    io.poll();
    tasks.cancel();
    io.run();
    EXPECT_TRUE(gone);
    EXPECT_EQ(seen, asio::error::operation_aborted);
}

asio::awaitable<Result<int>> nested(bool& gone) {
    const auto inner = co_await with_deadline(sleeps_for_ever(gone), 10ms);
    co_return inner.error() == asio::error::timed_out ? 1 : 0;
}

TEST(WithDeadline, Nests) {
    asio::io_context io;
    bool gone = false;
    EXPECT_EQ(tests::run_to_end(io, with_deadline(nested(gone), 10s)).value(), 1);
    bool inner_gone = false;
    const auto outer = tests::run_to_end(io, with_deadline(nested(inner_gone), 1ms));
    EXPECT_EQ(outer.error(), asio::error::timed_out);
    EXPECT_TRUE(inner_gone);
}

}  // namespace
}  // namespace twinsite::base::async
