// SPDX-License-Identifier: Apache-2.0
#include "wire/diameter/framer.hpp"

#include <algorithm>
#include <cstring>

#include "base/error/check.hpp"

namespace twinsite::wire::diameter {
namespace {

/// Below this much room a read is not worth its system call.
constexpr std::size_t kMinReadBytes = 4096;

}  // namespace

Framer::Framer(Limits limits) : limits_(limits) {
    reallocate(std::max(limits_.initial_bytes, kMinReadBytes));
}

std::span<std::uint8_t> Framer::prepare() {
    const std::size_t left = end_ - begin_;
    std::size_t wanted = capacity_;
    if (filled_ && capacity_ < limits_.max_buffer_bytes)
        wanted = std::min(capacity_ * 2, limits_.max_buffer_bytes);
    // The partial message at the front must fit, whatever the wish for short buffers.
    if (left >= 4) {
        const std::uint8_t* const here = buffer_.get() + begin_;
        if (!check_frame(here, limits_.max_message_bytes))
            wanted = std::max<std::size_t>(wanted, load_u24(here + 1));
    }
    wanted = std::max(wanted, left + kMinReadBytes);
    filled_ = false;
    if (wanted > capacity_) {
        reallocate(wanted);
    } else if (begin_ > 0) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, left);
        begin_ = 0;
        end_ = left;
    }
    return {buffer_.get() + end_, capacity_ - end_};
}

void Framer::commit(std::size_t bytes) {
    BASE_CHECK(bytes <= capacity_ - end_);
    end_ += bytes;
    filled_ = end_ == capacity_;
}

void Framer::feed(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const auto room = prepare();
        const std::size_t part = std::min(room.size(), bytes.size());
        std::memcpy(room.data(), bytes.data(), part);
        commit(part);
        bytes = bytes.subspan(part);
    }
}

void Framer::reset() {
    begin_ = end_ = 0;
    filled_ = false;
    fault_.reset();
}

void Framer::reallocate(std::size_t bytes) {
    auto grown = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
    const std::size_t left = end_ - begin_;
    if (left > 0) std::memcpy(grown.get(), buffer_.get() + begin_, left);
    buffer_ = std::move(grown);
    capacity_ = bytes;
    begin_ = 0;
    end_ = left;
}

}  // namespace twinsite::wire::diameter
