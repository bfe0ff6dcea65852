// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "slb/session/tag.hpp"

namespace twinsite::slb::proxy {

/// Names a copy in the RetainedStore.
using RetainedRef = std::uint32_t;
inline constexpr RetainedRef kNotRetained = 0xffffffff;

/// Copies of the requests that wait for their answers, kept so that they can be sent again. Blocks
/// come in size classes and are used again last in, first out, while they are still in the cache:
/// a large ring of cold memory made the whole path several times slower. Memory is bounded by
/// `limit_bytes`, of which one class gets at most half, and never given back. A class without room
/// borrows free blocks of larger ones.
class RetainedStore {
public:
    explicit RetainedStore(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

    /// kNotRetained: the limit is reached, or the message is longer than the largest class.
    RetainedRef keep(std::span<const std::uint8_t> message, session::Tag tag);
    /// Valid until `release`.
    std::span<std::uint8_t> message(RetainedRef ref);
    session::Tag tag(RetainedRef ref) { return block(ref).tag; }
    void release(RetainedRef ref);

    std::size_t in_use() const { return in_use_; }
    std::size_t allocated_bytes() const { return allocated_bytes_; }

private:
    struct Block {
        session::Tag tag;
        std::uint32_t size;
        RetainedRef next_free;
    };
    struct SizeClass {
        std::vector<std::unique_ptr<std::uint8_t[]>> chunks;
        RetainedRef free = kNotRetained;
    };
    /// 320, 576, 1088 ... 65,600 bytes with the block's head: a power of two and a cache line.
    static constexpr std::size_t kClasses = 9;

    Block& block(RetainedRef ref);
    bool refill(std::size_t size_class);
    /// For a class without free blocks: itself, refilled, or a larger one with free blocks, or
    /// kClasses when there is none.
    std::size_t class_with_room(std::size_t wanted);

    std::size_t limit_bytes_;
    std::size_t allocated_bytes_ = 0;
    std::size_t in_use_ = 0;
    std::array<SizeClass, kClasses> classes_;
};

}  // namespace twinsite::slb::proxy
