// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace twinsite::gslb::zone {

inline constexpr std::size_t kCacheLineBytes = 64;

/// Memory that a query touches at random places: whole huge pages when the system gives them, since
/// else nearly every look-up also misses the table of page addresses. Filled once, then read.
class Pages {
public:
    Pages() = default;
    /// A copy of `bytes`, aligned at least to cache lines.
    explicit Pages(std::span<const std::byte> bytes);

    const std::byte* data() const noexcept { return data_.get(); }
    std::size_t size_bytes() const noexcept { return size_; }

private:
    struct Free {
        void operator()(std::byte* bytes) const noexcept;
    };
    std::unique_ptr<std::byte[], Free> data_;
    std::size_t size_ = 0;
};

/// A growing area in which plain values are placed one behind the other. A *place* counts in words
/// of 8 bytes from the start and stays right when the area grows or is copied into Pages.
class Arena {
public:
    using Place = std::uint32_t;
    static constexpr std::size_t kWordBytes = 8;

    /// `size` zero bytes, aligned to `alignment` (8..64, a power of two).
    Place reserve(std::size_t size, std::size_t alignment = kWordBytes) {
        const std::size_t start = (used_ + alignment - 1) & ~(alignment - 1);
        used_ = (start + size + kWordBytes - 1) & ~(kWordBytes - 1);
        lines_.resize((used_ + kCacheLineBytes - 1) / kCacheLineBytes);
        return static_cast<Place>(start / kWordBytes);
    }
    /// Whether `size` more bytes would still have places.
    bool has_room(std::size_t size) const { return used_ + size < (std::size_t{1} << 35); }
    std::byte* at(Place place) {
        return reinterpret_cast<std::byte*>(lines_.data()) + std::size_t{place} * kWordBytes;
    }
    std::span<const std::byte> bytes() const {
        return {reinterpret_cast<const std::byte*>(lines_.data()), used_};
    }

private:
    struct alignas(kCacheLineBytes) Line {
        std::byte bytes[kCacheLineBytes];
    };
    std::vector<Line> lines_;
    std::size_t used_ = 0;
};

}  // namespace twinsite::gslb::zone
