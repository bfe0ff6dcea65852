// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/output_ring.hpp"

#include <algorithm>
#include <cstring>

#include "wire/diameter/bytes.hpp"

namespace twinsite::slb::proxy {

namespace {

constexpr std::size_t kInitialBytes = 64 * 1024;
/// An empty ring larger than this was grown by a peer that did not read; it starts afresh.
constexpr std::size_t kKeptBytes = 1024 * 1024;

}  // namespace

void OutputRing::append(std::span<const std::uint8_t> message) {
    if (capacity_ - tail_ < message.size()) make_room(message.size());
    std::memcpy(bytes_.get() + tail_, message.data(), message.size());
    tail_ += message.size();
}

void OutputRing::make_room(std::size_t bytes) {
    const auto kept = tail_ - boundary_;
    // Moving down is free of memory, but only cheap when much room comes of it.
    if (boundary_ > 0 && boundary_ >= kept && capacity_ - kept >= bytes) {
        std::memmove(bytes_.get(), bytes_.get() + boundary_, kept);
    } else {
        auto capacity = std::max(capacity_, kInitialBytes);
        while (capacity - kept < bytes) capacity *= 2;
        if (capacity == capacity_) capacity *= 2;
        auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
        if (kept > 0) std::memcpy(larger.get(), bytes_.get() + boundary_, kept);
        bytes_ = std::move(larger);
        capacity_ = capacity;
    }
    head_ -= boundary_;
    tail_ = kept;
    boundary_ = 0;
}

void OutputRing::sent(std::size_t bytes) {
    head_ += bytes;
    if (head_ == tail_) {
        clear();
        if (capacity_ > kKeptBytes) {
            bytes_.reset();
            capacity_ = 0;
        }
        return;
    }
    for (;;) {
        const auto next = boundary_ + wire::diameter::load_u24(bytes_.get() + boundary_ + 1);
        if (next > head_) return;
        boundary_ = next;
    }
}

void OutputRing::drop_unsent() {
    tail_ = head_ == boundary_ ? head_
                               : boundary_ + wire::diameter::load_u24(bytes_.get() + boundary_ + 1);
    if (head_ == tail_) clear();
}

}  // namespace twinsite::slb::proxy
