// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace twinsite::switchover::api {

/// A thread for what takes long on purpose: passwords. Jobs run one after the other.
class Worker {
public:
    using Job = std::function<void()>;

    explicit Worker(std::size_t most) : most_(most), thread_([this] { run(); }) {}
    /// Waits for the job that runs; those that wait are dropped.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// False: too many wait.
    bool start(Job job);

private:
    void run();

    const std::size_t most_;
    // by `mutex_`
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace twinsite::switchover::api
