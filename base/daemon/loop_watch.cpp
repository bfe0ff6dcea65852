// SPDX-License-Identifier: Apache-2.0
#include "base/daemon/loop_watch.hpp"

#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/error/result.hpp"
#include "base/log/log.hpp"

namespace twinsite::base::daemon {

LoopWatch::LoopWatch(
    boost::asio::io_context& io, Settings settings, std::function<void(bool stalled)> on_change
)
    : settings_(settings),
      on_change_(std::move(on_change)),
      timer_(io),
      last_beat_(Clock::now().time_since_epoch().count()),
      thread_([this] { watch(); }) {
    beat();
}

LoopWatch::LoopWatch(boost::asio::io_context& io) : LoopWatch(io, Settings()) {}

LoopWatch::~LoopWatch() {
    timer_.cancel();
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void LoopWatch::beat() {
    last_beat_ = Clock::now().time_since_epoch().count();
    timer_.expires_after(settings_.beat);
    timer_.async_wait([this, alive = std::weak_ptr(alive_)](const Error& cancelled) {
        if (!cancelled && !alive.expired()) beat();
    });
}

void LoopWatch::watch() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, settings_.beat, [this] { return end_; })) {
        lock.unlock();
        judge(Clock::now());
        lock.lock();
    }
}

void LoopWatch::judge(Clock::time_point now) {
    const auto silent = now - Clock::time_point(Clock::duration(last_beat_.load()));
    const bool stalled = silent > settings_.limit;
    if (stalled == stalled_) return;
    stalled_ = stalled;
    const auto silent_ms = std::chrono::duration_cast<std::chrono::milliseconds>(silent).count();
    if (stalled) {
        ++stalls_;
        log::event(log::Level::error, "loop_stalled", {{"silent_ms", silent_ms}});
    } else {
        log::event(log::Level::warning, "loop_resumed", {{"stalls", stalls_.load()}});
    }
    if (on_change_) on_change_(stalled);
}

}  // namespace twinsite::base::daemon
