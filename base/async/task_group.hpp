// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace twinsite::base::async {

/// Owns the running coroutines of one thread: every spawned task belongs to a group, can be
/// cancelled, and can be waited for. All methods on the thread of `shard`. Give tasks named
/// coroutines with parameters by value, or references to what outlives the group's last task.
/// Destroying the group cancels what still runs without waiting for it.
class TaskGroup {
public:
    using Id = std::uint64_t;
    using OnFailure = std::function<void(std::exception_ptr)>;

    /// `on_failure` hears of exceptions that leave a task; being cancelled is not one of them.
    /// By default they are logged as task_failed.
    explicit TaskGroup(boost::asio::any_io_executor shard, OnFailure on_failure = log_failure);
    ~TaskGroup();
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;

    Id start(boost::asio::awaitable<void> task);
    /// Asks all tasks (or one) to end: what they await fails with operation_aborted.
    void cancel();
    void cancel(Id task);
    /// Comes back when no task runs. Must not be awaited by a task of this group.
    boost::asio::awaitable<void> wait();
    std::size_t size() const;

    static void log_failure(std::exception_ptr failure);

private:
    struct Shared;
    static boost::asio::awaitable<void> wait_for(std::shared_ptr<Shared> shared);
    std::shared_ptr<Shared> shared_;
};

}  // namespace twinsite::base::async
