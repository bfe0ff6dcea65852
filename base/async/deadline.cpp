// SPDX-License-Identifier: Apache-2.0
#include "base/async/deadline.hpp"

#include "base/async/token.hpp"

namespace twinsite::base::async {

boost::asio::awaitable<void> sleep_for(std::chrono::nanoseconds duration) {
    const auto executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer timer(executor, duration);
    co_await timer.async_wait(as_result);
}

}  // namespace twinsite::base::async
