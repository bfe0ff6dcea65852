// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "slb/proxy/retained.hpp"

namespace twinsite::slb::proxy {

/// What a request asks of its session (CC-Request-Type, RFC 8506 section 8.3); `none` for requests
/// of other commands.
enum class SessionStep : std::uint8_t { none, initial, update, terminate, event };

/// One request that waits for the answer of a blade.
struct alignas(32) Pending {
    std::uint32_t client = 0;      ///< ClientId of the link it came on
    std::uint32_t hop_by_hop = 0;  ///< as the client wrote it
    std::uint32_t end_to_end = 0;
    std::uint32_t sent_us = 0;  ///< shard clock of this try; wraps, only differences count
    RetainedRef request = kNotRetained;
    std::uint16_t older = 0;  ///< circular list in order of sending
    std::uint16_t newer = 0;
    std::uint16_t generation = 0;
    std::uint8_t tries = 0;  ///< this one included; 0: the slot is free
    SessionStep step = SessionStep::none;
};
static_assert(sizeof(Pending) == 32);

/// The pending requests of one blade. The hop-by-hop id on the blade's link is the slot's
/// generation (upper 16 bits) and index (lower 16): an answer finds its slot by indexing, and one
/// that comes after its slot was used again is told by the generation (and, since a generation
/// comes again after 65,536 uses, by the end-to-end id). Free slots are used last in, first out.
class PendingSlots {
public:
    /// `limit` is 1..65536. `first_generation` is for tests of the wrap.
    explicit PendingSlots(std::uint32_t limit, std::uint16_t first_generation = 0);

    /// A slot at the end of the list, with nothing set but its links, generation and tries = 1.
    /// nullptr when the limit is reached.
    Pending* take();
    std::uint32_t hop_by_hop(const Pending& slot) const;
    /// The live slot of an answer; nullptr when it is late, repeated or made up.
    Pending* find(std::uint32_t hop_by_hop, std::uint32_t end_to_end);
    void release(Pending& slot);
    /// nullptr when nothing is pending.
    Pending* oldest();
    /// The live slot that was taken after this one; after the newest comes the oldest.
    Pending& newer(const Pending& slot) { return at(slot.newer); }
    std::uint32_t size() const { return size_; }
    bool full() const { return size_ >= limit_; }
    /// Slots in use beyond a smaller limit stay until they end.
    void set_limit(std::uint32_t limit) { limit_ = limit; }
    void prefetch(std::uint32_t hop_by_hop) const {
        const auto index = hop_by_hop & 0xffff;
        if (index < unused_) __builtin_prefetch(&blocks_[index / kBlock][index % kBlock]);
    }

private:
    static constexpr std::uint32_t kBlock = 4096;

    Pending& at(std::uint32_t index) { return blocks_[index / kBlock][index % kBlock]; }
    std::optional<std::uint16_t> free_index();
    void link(std::uint16_t index);

    std::uint32_t limit_;
    std::uint16_t first_generation_;
    std::uint32_t size_ = 0;
    std::uint32_t unused_ = 0;      ///< slots from here on were never used
    std::uint32_t free_count_ = 0;  ///< length of the free list
    std::uint16_t free_ = 0;        ///< its head, linked by `newer`
    std::uint16_t oldest_ = 0;      ///< meaningful while size_ > 0
    std::array<std::unique_ptr<Pending[]>, 65536 / kBlock> blocks_;
};

}  // namespace twinsite::slb::proxy
