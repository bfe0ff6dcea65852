// SPDX-License-Identifier: Apache-2.0
#include "gslb/zone/arena.hpp"

#include <cstdlib>
#include <sys/mman.h>

namespace twinsite::gslb::zone {
namespace {

constexpr std::size_t kHugePageBytes = 2 << 20;
/// A read of one word may begin at the last byte.
constexpr std::size_t kSlackBytes = 8;

}  // namespace

void Pages::Free::operator()(std::byte* bytes) const noexcept {
    std::free(bytes);
}

Pages::Pages(std::span<const std::byte> bytes) : size_(bytes.size()) {
    const bool large = size_ >= kHugePageBytes / 2;
    const std::size_t unit = large ? kHugePageBytes : kCacheLineBytes;
    const std::size_t capacity = (size_ + kSlackBytes + unit - 1) / unit * unit;
    void* const memory = std::aligned_alloc(unit, capacity);
    if (memory == nullptr) throw std::bad_alloc();
    // Advice only: without huge pages everything works, slower.
    if (large) ::madvise(memory, capacity, MADV_HUGEPAGE);
    data_.reset(static_cast<std::byte*>(memory));
    std::memcpy(data_.get(), bytes.data(), size_);
    std::memset(data_.get() + size_, 0, kSlackBytes);
}

}  // namespace twinsite::gslb::zone
