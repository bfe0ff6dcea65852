// SPDX-License-Identifier: Apache-2.0
#include "switchover/api/worker.hpp"

#include <utility>

namespace twinsite::switchover::api {

Worker::~Worker() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

bool Worker::start(Job job) {
    {
        const std::lock_guard lock(mutex_);
        if (jobs_.size() >= most_) return false;
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
    return true;
}

void Worker::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        if (ending_) return;
        const auto job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        lock.lock();
    }
}

}  // namespace twinsite::switchover::api
