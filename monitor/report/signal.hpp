// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/async/token.hpp"

namespace twinsite::monitor::report {

/// Wakes one coroutine. A call that comes before the wait is not lost. One thread.
class Signal {
public:
    explicit Signal(const boost::asio::any_io_executor& executor) : timer_(executor) {}

    void raise() {
        raised_ = true;
        timer_.cancel();
    }
    /// Comes back when raised, or after `most`.
    boost::asio::awaitable<void> wait(std::chrono::milliseconds most) {
        if (!raised_) {
            timer_.expires_after(most);
            co_await timer_.async_wait(base::async::as_result);
        }
        raised_ = false;
    }

private:
    boost::asio::steady_timer timer_;
    bool raised_ = false;
};

}  // namespace twinsite::monitor::report
