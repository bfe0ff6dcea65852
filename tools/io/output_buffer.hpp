// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace twinsite::tools::io {

/// Bytes on their way out, in one piece: appended at the end, taken from the front. New bytes are
/// not cleared, which a vector would do.
class OutputBuffer {
public:
    /// Room for `bytes` more, now part of the content. Valid until the next call.
    std::uint8_t* append(std::size_t bytes) {
        if (capacity_ - end_ < bytes) make_room(bytes);
        std::uint8_t* const at = data_.get() + end_;
        end_ += bytes;
        return at;
    }
    void append(std::span<const std::uint8_t> bytes) {
        if (!bytes.empty()) std::memcpy(append(bytes.size()), bytes.data(), bytes.size());
    }
    std::span<const std::uint8_t> content() const { return {data_.get() + begin_, end_ - begin_}; }
    bool empty() const { return begin_ == end_; }
    std::size_t size() const { return end_ - begin_; }
    /// Removes bytes from the front.
    void drop(std::size_t bytes) {
        begin_ += bytes;
        if (begin_ == end_) begin_ = end_ = 0;
    }
    void clear() { begin_ = end_ = 0; }

private:
    void make_room(std::size_t bytes) {
        const std::size_t used = size();
        std::size_t wanted = capacity_ == 0 ? 4096 : capacity_;
        // Moving pays only when it frees half; else grow, so that appending stays linear in total.
        while (wanted / 2 < used + bytes) wanted *= 2;
        auto fresh = std::make_unique_for_overwrite<std::uint8_t[]>(wanted);
        if (used > 0) std::memcpy(fresh.get(), data_.get() + begin_, used);
        data_ = std::move(fresh);
        capacity_ = wanted;
        begin_ = 0;
        end_ = used;
    }

    std::unique_ptr<std::uint8_t[]> data_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace twinsite::tools::io
