// SPDX-License-Identifier: Apache-2.0
#include "base/async/task_group.hpp"

#include <map>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>

#include "base/async/token.hpp"
#include "base/log/log.hpp"

namespace twinsite::base::async {

namespace asio = boost::asio;

/// Outlives the group as long as a task runs.
struct TaskGroup::Shared {
    // A signal is shared because `emit` may end the task, which removes it here, while it runs.
    using Signal = std::shared_ptr<asio::cancellation_signal>;

    Shared(asio::any_io_executor executor, OnFailure failure)
        : shard(std::move(executor)),
          idle(shard, asio::steady_timer::time_point::max()),
          on_failure(std::move(failure)) {}

    void finished(Id id, std::exception_ptr failure);

    asio::any_io_executor shard;
    asio::steady_timer idle;
    OnFailure on_failure;
    std::map<Id, Signal> running;
    Id next = 1;
};

namespace {

bool is_cancellation(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const boost::system::system_error& error) {
        return error.code() == asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

}  // namespace

void TaskGroup::Shared::finished(Id id, std::exception_ptr failure) {
    running.erase(id);
    if (failure && on_failure && !is_cancellation(failure)) on_failure(failure);
    if (running.empty()) idle.cancel();
}

TaskGroup::TaskGroup(asio::any_io_executor shard, OnFailure on_failure)
    : shared_(std::make_shared<Shared>(std::move(shard), std::move(on_failure))) {}

TaskGroup::~TaskGroup() {
    shared_->on_failure = nullptr;
    cancel();
}

TaskGroup::Id TaskGroup::start(asio::awaitable<void> task) {
    const Id id = shared_->next++;
    auto signal = std::make_shared<asio::cancellation_signal>();
    shared_->running.emplace(id, signal);
    auto done = [shared = shared_, id](std::exception_ptr failure) {
        shared->finished(id, std::move(failure));
    };
    asio::co_spawn(
        shared_->shard,
        std::move(task),
        asio::bind_cancellation_slot(signal->slot(), std::move(done))
    );
    return id;
}

void TaskGroup::cancel() {
    std::vector<Shared::Signal> signals;
    for (const auto& [id, signal] : shared_->running) signals.push_back(signal);
    for (const auto& signal : signals) signal->emit(asio::cancellation_type::terminal);
}

void TaskGroup::cancel(Id task) {
    const auto found = shared_->running.find(task);
    if (found == shared_->running.end()) return;
    const auto signal = found->second;
    signal->emit(asio::cancellation_type::terminal);
}

asio::awaitable<void> TaskGroup::wait() {
    return wait_for(shared_);
}

asio::awaitable<void> TaskGroup::wait_for(std::shared_ptr<Shared> shared) {
    while (!shared->running.empty()) co_await shared->idle.async_wait(as_result);
}

std::size_t TaskGroup::size() const {
    return shared_->running.size();
}

void TaskGroup::log_failure(std::exception_ptr failure) {
    try {
        std::rethrow_exception(std::move(failure));
    } catch (const std::exception& error) {
        log::event(log::Level::error, "task_failed", {{"error", error.what()}});
    }
}

}  // namespace twinsite::base::async
