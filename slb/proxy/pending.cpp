// SPDX-License-Identifier: Apache-2.0
#include "slb/proxy/pending.hpp"

namespace twinsite::slb::proxy {

PendingSlots::PendingSlots(std::uint32_t limit, std::uint16_t first_generation)
    : limit_(limit), first_generation_(first_generation) {}

std::optional<std::uint16_t> PendingSlots::free_index() {
    if (size_ >= limit_) return std::nullopt;
    if (free_count_ > 0) {
        const auto index = free_;
        free_ = at(index).newer;
        --free_count_;
        return index;
    }
    const auto index = static_cast<std::uint16_t>(unused_++);
    if (index % kBlock == 0) {
        auto& block = blocks_[index / kBlock];
        block = std::make_unique<Pending[]>(kBlock);
        for (std::uint32_t i = 0; i < kBlock; ++i) block[i].generation = first_generation_;
    }
    return index;
}

void PendingSlots::link(std::uint16_t index) {
    auto& slot = at(index);
    if (size_ == 0) {
        slot.older = slot.newer = oldest_ = index;
        return;
    }
    const auto newest = at(oldest_).older;
    slot.older = newest;
    slot.newer = oldest_;
    at(newest).newer = index;
    at(oldest_).older = index;
}

Pending* PendingSlots::take() {
    const auto index = free_index();
    if (!index) return nullptr;
    link(*index);
    ++size_;
    auto& slot = at(*index);
    ++slot.generation;
    slot.tries = 1;
    return &slot;
}

std::uint32_t PendingSlots::hop_by_hop(const Pending& slot) const {
    // The index is what the older neighbour calls its newer one: no need to store it.
    const auto& older = blocks_[slot.older / kBlock][slot.older % kBlock];
    return std::uint32_t{slot.generation} << 16 | older.newer;
}

Pending* PendingSlots::find(std::uint32_t hop_by_hop, std::uint32_t end_to_end) {
    const auto index = hop_by_hop & 0xffff;
    if (index >= unused_) return nullptr;
    auto& slot = at(index);
    const bool same =
        slot.tries != 0 && slot.generation == hop_by_hop >> 16 && slot.end_to_end == end_to_end;
    return same ? &slot : nullptr;
}

void PendingSlots::release(Pending& slot) {
    const auto index = at(slot.older).newer;
    at(slot.older).newer = slot.newer;
    at(slot.newer).older = slot.older;
    if (index == oldest_) oldest_ = slot.newer;
    --size_;
    slot.tries = 0;
    slot.newer = free_;
    free_ = index;
    ++free_count_;
}

Pending* PendingSlots::oldest() {
    return size_ == 0 ? nullptr : &at(oldest_);
}

}  // namespace twinsite::slb::proxy
