// SPDX-License-Identifier: Apache-2.0
#include "gslb/server/publisher.hpp"

#include <thread>
#include <utility>

#include "base/error/check.hpp"

namespace twinsite::gslb::server {

Publisher::Publisher(std::shared_ptr<const answer::Snapshot> first)
    : current_(first.get()), owned_(std::move(first)) {
    BASE_CHECK(owned_ != nullptr);
}

Publisher::~Publisher() {
    for (const Place& place : places_) BASE_CHECK(!place.taken.load(std::memory_order_relaxed));
}

void Publisher::publish(std::shared_ptr<const answer::Snapshot> next) {
    BASE_CHECK(next != nullptr);
    const std::lock_guard lock(mutex_);
    if (next == owned_) return;
    current_.store(next.get(), std::memory_order_seq_cst);
    const std::shared_ptr<const answer::Snapshot> old = std::exchange(owned_, std::move(next));
    // A reader that announces after this point sees the new pointer when it looks again, so only
    // those that hold the old one now are waited for.
    for (const Place& place : places_)
        while (place.announced.load(std::memory_order_seq_cst) == old.get())
            std::this_thread::yield();
}

std::shared_ptr<const answer::Snapshot> Publisher::current() const {
    const std::lock_guard lock(mutex_);
    return owned_;
}

Publisher::Reader::Reader(Publisher& publisher) : publisher_(publisher) {
    for (; place_ < kMaxReaders; ++place_) {
        bool free = false;
        Place& place = publisher_.places_[place_];
        if (place.taken.compare_exchange_strong(free, true)) {
            announced_ = &place.announced;
            return;
        }
    }
    BASE_CHECK(announced_ != nullptr);
}

Publisher::Reader::~Reader() {
    leave();
    publisher_.places_[place_].taken.store(false);
}

const answer::Snapshot& Publisher::Reader::enter() noexcept {
    const answer::Snapshot* seen = publisher_.current_.load(std::memory_order_acquire);
    for (;;) {
        announced_->store(seen, std::memory_order_seq_cst);
        // Still current after the announcement: then publish() sees the announcement and waits.
        const answer::Snapshot* const now = publisher_.current_.load(std::memory_order_seq_cst);
        if (now == seen) return *seen;
        seen = now;
    }
}

void Publisher::Reader::leave() noexcept {
    announced_->store(nullptr, std::memory_order_release);
}

}  // namespace twinsite::gslb::server
