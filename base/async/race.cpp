// SPDX-License-Identifier: Apache-2.0
#include "base/async/race.hpp"

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace twinsite::base::async {

namespace asio = boost::asio;

namespace {

/// A coroutine that is cancelled between two awaits ends with an exception.
Result<void> outcome(const std::exception_ptr& thrown, Result<void> result) {
    if (!thrown) return result;
    try {
        std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) throw;
        return error.code();
    }
}

}  // namespace

asio::awaitable<Raced> race(
    asio::awaitable<Result<void>> first, asio::awaitable<Result<void>> second
) {
    const auto executor = co_await asio::this_coro::executor;
    auto both = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, std::move(first), asio::deferred),
        asio::co_spawn(executor, std::move(second), asio::deferred)
    );
    auto [order, first_thrown, first_result, second_thrown, second_result] =
        co_await both.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    Raced out;
    out.first = outcome(first_thrown, std::move(first_result));
    out.second = outcome(second_thrown, std::move(second_result));
    co_return out;
}

}  // namespace twinsite::base::async
