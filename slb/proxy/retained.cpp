// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/retained.hpp"

#include <bit>
#include <cstring>
#include <new>

namespace twinsite::slb::proxy {

namespace {

constexpr unsigned kClassShift = 28;  // upper 4 bits of a reference: the class
constexpr RetainedRef kIndexMask = (RetainedRef{1} << kClassShift) - 1;
constexpr unsigned kBlocksPerChunkShift = 4;
constexpr std::size_t kBlocksPerChunk = std::size_t{1} << kBlocksPerChunkShift;

constexpr std::size_t stride(std::size_t size_class) {
    return (std::size_t{256} << size_class) + 64;
}

}  // namespace

RetainedStore::Block& RetainedStore::block(RetainedRef ref) {
    const auto size_class = ref >> kClassShift;
    const auto index = ref & kIndexMask;
    auto* chunk = classes_[size_class].chunks[index >> kBlocksPerChunkShift].get();
    auto* at = chunk + (index & (kBlocksPerChunk - 1)) * stride(size_class);
    return *std::launder(reinterpret_cast<Block*>(at));
}

std::span<std::uint8_t> RetainedStore::message(RetainedRef ref) {
    auto& head = block(ref);
    return {reinterpret_cast<std::uint8_t*>(&head + 1), head.size};
}

bool RetainedStore::refill(std::size_t size_class) {
    const auto bytes = kBlocksPerChunk * stride(size_class);
    if (allocated_bytes_ + bytes > limit_bytes_) return false;
    auto& owner = classes_[size_class];
    // Memory never changes its class: one burst of one size must leave room for the others.
    if ((owner.chunks.size() + 1) * bytes > limit_bytes_ / 2) return false;
    const auto first = static_cast<RetainedRef>(owner.chunks.size() << kBlocksPerChunkShift);
    if (first + kBlocksPerChunk > kIndexMask) return false;
    owner.chunks.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(bytes));
    allocated_bytes_ += bytes;
    for (RetainedRef i = kBlocksPerChunk; i-- > 0;) {
        auto* at = owner.chunks.back().get() + i * stride(size_class);
        new (at) Block{0, 0, owner.free};
        owner.free = static_cast<RetainedRef>(size_class << kClassShift) | (first + i);
    }
    return true;
}

std::size_t RetainedStore::class_with_room(std::size_t wanted) {
    if (refill(wanted)) return wanted;
    auto larger = wanted + 1;
    while (larger < kClasses && classes_[larger].free == kNotRetained) ++larger;
    return larger;
}

RetainedRef RetainedStore::keep(std::span<const std::uint8_t> message, session::Tag tag) {
    const auto needed = message.size() + sizeof(Block);
    // The class whose 2^(8+class) + 64 bytes are enough.
    const auto beyond = needed > 320 ? needed - 65 : 0;
    auto size_class = static_cast<std::size_t>(std::bit_width(beyond >> 8));
    if (size_class >= kClasses) return kNotRetained;
    if (classes_[size_class].free == kNotRetained) size_class = class_with_room(size_class);
    if (size_class >= kClasses) return kNotRetained;
    auto& owner = classes_[size_class];
    const auto ref = owner.free;
    auto& head = block(ref);
    owner.free = head.next_free;
    head.tag = tag;
    head.size = static_cast<std::uint32_t>(message.size());
    std::memcpy(&head + 1, message.data(), message.size());
    ++in_use_;
    return ref;
}

void RetainedStore::release(RetainedRef ref) {
    auto& owner = classes_[ref >> kClassShift];
    block(ref).next_free = owner.free;
    owner.free = ref;
    --in_use_;
}

}  // namespace twinsite::slb::proxy
