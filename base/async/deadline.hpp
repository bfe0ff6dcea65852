// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error/result.hpp"

namespace twinsite::base::async {

/// The result of `work`, or timed_out when it is not there after `limit`; the loser is cancelled
/// and waited for, so nothing that `work` refers to is in use afterwards. Cancelled from outside:
/// operation_aborted. An exception of `work` comes out here. T must have a default constructor.
template <class T>
boost::asio::awaitable<Result<T>> with_deadline(
    boost::asio::awaitable<Result<T>> work, std::chrono::milliseconds limit
) {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, limit);
    auto race = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, std::move(work), asio::deferred), timer.async_wait(asio::deferred)
    );
    auto [order, thrown, result, timer_failure] =
        co_await race.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    if (order[0] == 1) {  // the timer, or both were cancelled from outside
        if (timer_failure) co_return Error(asio::error::operation_aborted);
        co_return Error(asio::error::timed_out);
    }
    if (thrown) std::rethrow_exception(thrown);
    co_return std::move(result);
}

/// Comes back after `duration`, or earlier when cancelled.
boost::asio::awaitable<void> sleep_for(std::chrono::nanoseconds duration);

}  // namespace twinsite::base::async
