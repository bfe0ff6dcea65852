// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/background.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace twinsite::monitor::collect {

struct Background::Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool stopping = false;
    bool ended = false;

    bool pause(std::chrono::milliseconds span) {
        std::unique_lock lock(mutex);
        return !changed.wait_for(lock, span, [this] { return stopping; });
    }
    void set(bool& flag) {
        const std::lock_guard lock(mutex);
        flag = true;
        changed.notify_all();
    }
};

Background::Background(std::function<void(const Pause&)> work)
    : shared_(std::make_shared<Shared>()), thread_([shared = shared_, work = std::move(work)] {
          work([&shared](std::chrono::milliseconds span) { return shared->pause(span); });
          shared->set(shared->ended);
      }) {}

void Background::stop() {
    shared_->set(shared_->stopping);
}

bool Background::ended() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->ended;
}

Background::~Background() {
    stop();
    bool ended = false;
    {
        std::unique_lock lock(shared_->mutex);
        ended = shared_->changed.wait_for(lock, kPatience, [this] { return shared_->ended; });
    }
    if (ended)
        thread_.join();
    else  // a thread that cannot be joined must not be destroyed either: its object is left to it
        static_cast<void>(std::make_unique<std::thread>(std::move(thread_)).release());
}

}  // namespace twinsite::monitor::collect
