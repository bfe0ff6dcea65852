// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "slb/session/tag.hpp"

namespace twinsite::slb::session {

/// One entry of the placement table; four share a cache line. tag 0: empty.
struct Slot {
    Tag tag;
    std::uint16_t blade;
    std::uint16_t generation;  ///< of the blade when the session was placed; another now: void
    std::uint16_t expiry;      ///< Tick at which an idle session ends
    std::uint16_t reserved;
};
static_assert(sizeof(Slot) == 16);

/// A power of two of slots with linear probing and removal by shifting back, so that no tombstone
/// ever slows a search. Memory comes zeroed and untouched from the system: an array of a gigabyte
/// costs nothing until it is used.
class SlotArray {
public:
    SlotArray() = default;
    /// `slots` must be a power of two.
    explicit SlotArray(std::size_t slots);

    std::size_t size() const { return slots_ ? mask_ + 1 : 0; }
    Slot& operator[](std::size_t index) { return slots_[index]; }
    /// nullptr when absent.
    Slot* find(Tag tag);
    /// The empty slot where `tag`, which must be absent, belongs. The array must not be full.
    Slot& vacancy(Tag tag);
    /// Empties a slot and closes the gap behind it. Another entry may now stand in it.
    void erase(Slot* slot);
    void prefetch(Tag tag) const {
        if (slots_) __builtin_prefetch(&slots_[tag & mask_]);
    }

private:
    struct Free {
        void operator()(Slot* slots) const;
    };
    std::unique_ptr<Slot[], Free> slots_;
    std::size_t mask_ = 0;
};

}  // namespace twinsite::slb::session
