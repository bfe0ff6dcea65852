// SPDX-License-Identifier: Apache-2.0
#include "base/async/race.hpp"

#include <chrono>
#include <optional>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <gtest/gtest.h>

#include "base/async/token.hpp"
#include "tests/support/loop.hpp"

namespace twinsite::base::async {
namespace {

using boost::asio::awaitable;

awaitable<Result<void>> at_once() {
    co_return Result<void>();
}

awaitable<Result<void>> never(bool& ended) {
    const auto executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer timer(executor, std::chrono::hours(1));
    const auto [failure] = co_await timer.async_wait(as_result);
    ended = true;
    co_return failure;
}

/// Does not look at what it is told, so the next await throws.
awaitable<Result<void>> stubborn(bool& ended) {
    const auto first = co_await never(ended);
    const auto second = co_await never(ended);
    co_return first ? second : first;
}

awaitable<Result<void>> broken() {
    throw std::runtime_error("broken");
    co_return Result<void>();
}

TEST(RaceTest, TheLoserIsCancelledAndWaitedFor) {
    boost::asio::io_context io;
    bool ended = false;
    const auto raced = tests::run_to_end(io, race(at_once(), never(ended)));
    EXPECT_TRUE(raced.first);
    EXPECT_EQ(raced.second.error(), boost::asio::error::operation_aborted);
    EXPECT_TRUE(ended);
}

TEST(RaceTest, ALoserThatGoesOnEndsAtItsNextAwait) {
    boost::asio::io_context io;
    bool ended = false;
    const auto raced = tests::run_to_end(io, race(stubborn(ended), at_once()));
    EXPECT_EQ(raced.first.error(), boost::asio::error::operation_aborted);
    EXPECT_TRUE(raced.second);
}

TEST(RaceTest, CancelledFromOutsideBothEnd) {
    boost::asio::io_context io;
    bool first = false;
    bool second = false;
    boost::asio::cancellation_signal signal;
    std::optional<Raced> raced;
    auto done = [&](std::exception_ptr, Raced result) { raced = std::move(result); };
    boost::asio::co_spawn(
        io,
        race(never(first), never(second)),
        boost::asio::bind_cancellation_slot(signal.slot(), std::move(done))
    );
    io.poll();
    signal.emit(boost::asio::cancellation_type::terminal);
    io.run();
    ASSERT_TRUE(raced);
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(raced->first);
    EXPECT_FALSE(raced->second);
}

TEST(RaceTest, AnExceptionComesOut) {
    boost::asio::io_context io;
    bool ended = false;
    EXPECT_THROW(tests::run_to_end(io, race(broken(), never(ended))), std::runtime_error);
}

}  // namespace
}  // namespace twinsite::base::async
