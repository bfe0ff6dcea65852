// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>

#include "base/async/token.hpp"

namespace twinsite::monitor::report {

/// Wakes one coroutine. A call that comes before the wait is not lost. One thread.
class Signal {
public:
    explicit Signal(const boost::asio::any_io_executor& executor)
        : state_(std::make_shared<State>(executor)) {}

    void raise() {
        state_->raised = true;
        state_->timer.cancel();
    }
    /// Comes back when raised, or after `most`; throws operation_aborted when it is cancelled. The
    /// Signal may be gone by then.
    boost::asio::awaitable<void> wait(std::chrono::milliseconds most) { return wait(state_, most); }

private:
    struct State {
        explicit State(const boost::asio::any_io_executor& executor) : timer(executor) {}
        boost::asio::steady_timer timer;
        bool raised = false;
    };
    static boost::asio::awaitable<void> wait(
        std::shared_ptr<State> state, std::chrono::milliseconds most
    ) {
        if (!state->raised) {
            state->timer.expires_after(most);
            const auto [failure] = co_await state->timer.async_wait(base::async::as_result);
            if (failure && !state->raised) throw boost::system::system_error(failure);
        }
        state->raised = false;
    }

    std::shared_ptr<State> state_;
};

}  // namespace twinsite::monitor::report
