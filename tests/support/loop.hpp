// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <future>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace twinsite::tests {

/// An event loop on a thread of its own, for tests whose own thread blocks. Call `join` (or let
/// the destructor do it) after everything that works on the loop was stopped.
class Loop {
public:
    Loop() : work_(io_.get_executor()), thread_([this] { io_.run(); }) {}
    ~Loop() { join(); }

    boost::asio::io_context& io() { return io_; }

    /// Runs `call` on the loop's thread and gives its result.
    template <class Call>
    auto on_loop(Call call) -> std::invoke_result_t<Call> {
        std::packaged_task<std::invoke_result_t<Call>()> task(std::move(call));
        auto result = task.get_future();
        boost::asio::post(io_, [&task] { task(); });
        return result.get();
    }
    void join() {
        work_.reset();
        if (thread_.joinable()) thread_.join();
    }

private:
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::thread thread_;
};

/// Runs a coroutine to its end on a loop of its own and gives its result.
template <class T>
T run_to_end(boost::asio::io_context& io, boost::asio::awaitable<T> work) {
    std::optional<T> out;
    std::exception_ptr thrown;
    boost::asio::co_spawn(io, std::move(work), [&](std::exception_ptr failure, T result) {
        thrown = failure;
        out = std::move(result);
    });
    io.restart();
    while (!out && io.run_one() > 0) {
    }
    if (thrown) std::rethrow_exception(thrown);
    return std::move(out.value());
}

}  // namespace twinsite::tests
