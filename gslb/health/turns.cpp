// SPDX-License-Identifier: Apache-2.0
#include "gslb/health/turns.hpp"

#include <algorithm>

#include <boost/asio/io_context.hpp>

#include "base/async/token.hpp"

namespace twinsite::gslb::health {

boost::asio::awaitable<Turns::Turn> Turns::enter() {
    if (inside_ < most_ && queue_.empty()) {
        ++inside_;
        co_return Turn(shared_from_this());
    }
    auto waiter = std::make_shared<Waiter>(boost::asio::steady_timer(io_));
    waiter->bell.expires_at(boost::asio::steady_timer::time_point::max());
    queue_.push_back(waiter);
    // Rung by leave(), or our own wait was cancelled: either way the timer's wait is cut short.
    co_await waiter->bell.async_wait(base::async::as_result);
    if (waiter->called) co_return Turn(shared_from_this());
    queue_.erase(std::remove(queue_.begin(), queue_.end(), waiter), queue_.end());
    co_return Turn();
}

/// Hands the place on, so that nobody who comes now can take it from who waits.
void Turns::leave() {
    if (queue_.empty() || inside_ > most_) {
        --inside_;
        return;
    }
    const auto next = queue_.front();
    queue_.pop_front();
    next->called = true;
    next->bell.cancel();
}

}  // namespace twinsite::gslb::health
