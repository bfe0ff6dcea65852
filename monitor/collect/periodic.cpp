// SPDX-License-Identifier: Apache-2.0
#include "monitor/collect/periodic.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace twinsite::monitor::collect {

using wire::contract::Status;

struct Periodic::Latest {
    std::mutex mutex;
    Samples samples;
    bool measured = false;
    Time taken = std::chrono::steady_clock::now();
};

Periodic::Periodic(Samples names, Make make)
    : latest_(std::make_shared<Latest>()),
      worker_([latest = latest_, make = std::move(make)](const Background::Pause& pause) {
          const auto measure = make();
          do {
              const auto now = std::chrono::steady_clock::now();
              auto samples = measure(now);
              const std::lock_guard lock(latest->mutex);
              latest->samples = std::move(samples);
              latest->measured = true;
              latest->taken = now;
          } while (pause(kPeriod));
      }) {
    const std::lock_guard lock(latest_->mutex);
    if (!latest_->measured) latest_->samples = std::move(names);
}

Periodic::Samples Periodic::sample(Time now) const {
    const std::lock_guard lock(latest_->mutex);
    const auto age = now - latest_->taken;
    const bool stuck = age > kDeadline;
    if (!latest_->measured && !stuck) return {};
    auto out = latest_->samples;
    const auto age_ms = std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
    for (auto& sample : out) {
        sample.age_ms = static_cast<std::uint64_t>(std::max<long>(age_ms, 0));
        if (stuck) sample.status = Status::stuck;
    }
    return out;
}

}  // namespace twinsite::monitor::collect
