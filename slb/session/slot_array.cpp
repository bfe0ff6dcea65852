// SPDX-License-Identifier: Apache-2.0
#include "slb/session/slot_array.hpp"

#include <bit>
#include <cstdlib>
#include <new>

#include "base/error/check.hpp"

namespace twinsite::slb::session {

void SlotArray::Free::operator()(Slot* slots) const {
    std::free(slots);
}

SlotArray::SlotArray(std::size_t slots) : mask_(slots - 1) {
    BASE_CHECK(std::has_single_bit(slots));
    // calloc and not new[]: large blocks come as zero pages that nobody has touched yet.
    slots_.reset(static_cast<Slot*>(std::calloc(slots, sizeof(Slot))));
    if (!slots_) throw std::bad_alloc();
}

Slot* SlotArray::find(Tag tag) {
    if (!slots_) return nullptr;
    for (auto i = tag & mask_; slots_[i].tag != 0; i = (i + 1) & mask_)
        if (slots_[i].tag == tag) return &slots_[i];
    return nullptr;
}

Slot& SlotArray::vacancy(Tag tag) {
    auto i = tag & mask_;
    while (slots_[i].tag != 0) i = (i + 1) & mask_;
    return slots_[i];
}

void SlotArray::erase(Slot* slot) {
    auto gap = static_cast<std::size_t>(slot - slots_.get());
    for (auto i = (gap + 1) & mask_; slots_[i].tag != 0; i = (i + 1) & mask_) {
        // An entry may move back into the gap unless its home lies between the gap and itself.
        const auto home = slots_[i].tag & mask_;
        if (((i - home) & mask_) < ((i - gap) & mask_)) continue;
        slots_[gap] = slots_[i];
        gap = i;
    }
    slots_[gap] = Slot{};
}

}  // namespace twinsite::slb::session
