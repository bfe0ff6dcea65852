// SPDX-License-Identifier: Apache-2.0
#include "slb/session/placement.hpp"

#include <algorithm>
#include <utility>

#include "base/error/check.hpp"

namespace twinsite::slb::session {

namespace {

constexpr std::size_t kInitialSlots = 4096;
/// Slots moved per insertion while growing. The new array is twice as large as the old one, so any
/// number above 1 ends in time; 64 ends early and still costs less than a microsecond.
constexpr std::size_t kMovedPerCall = 64;

}  // namespace

Placement::Placement(std::size_t max_sessions, unsigned idle_ticks)
    : max_sessions_(max_sessions), idle_ticks_(idle_ticks), current_(kInitialSlots) {
    BASE_CHECK(idle_ticks >= 1 && idle_ticks <= kMaxIdleTicks);
}

void Placement::set_limits(std::size_t max_sessions, unsigned idle_ticks) {
    BASE_CHECK(idle_ticks >= 1 && idle_ticks <= kMaxIdleTicks);
    max_sessions_ = max_sessions;
    idle_ticks_ = idle_ticks;
}

Placement::Blade& Placement::blade_of(BladeIndex blade) {
    if (blade >= blades_.size()) blades_.resize(blade + std::size_t{1});
    return blades_[blade];
}

std::size_t Placement::sessions(BladeIndex blade) const {
    return blade < blades_.size() ? blades_[blade].sessions : 0;
}

bool Placement::is_void(const Slot& slot) const {
    return blades_[slot.blade].generation != slot.generation;
}

bool Placement::is_idle(const Slot& slot, Tick now) const {
    return static_cast<std::int16_t>(static_cast<Tick>(now - slot.expiry)) >= 0;
}

Slot* Placement::locate(Tag tag) {
    if (auto* slot = current_.find(tag)) return slot;
    return old_.find(tag);
}

void Placement::forget(Slot& slot) {
    if (is_void(slot)) return;
    --blades_[slot.blade].sessions;
    --live_;
}

void Placement::erase(Slot* slot) {
    forget(*slot);
    --used_;
    // In the old array nothing may move: the moving cursor has passed some homes already. There an
    // entry is made void instead of empty, and the cursor drops it.
    const bool in_current = slot >= &current_[0] && slot < &current_[0] + current_.size();
    if (in_current) return current_.erase(slot);
    slot->generation = static_cast<std::uint16_t>(blades_[slot->blade].generation - 1);
    slot->reserved = 1;
}

std::optional<BladeIndex> Placement::find(Tag tag, Tick now) {
    auto* slot = locate(tag);
    if (!slot || slot->reserved || is_void(*slot) || is_idle(*slot, now)) return std::nullopt;
    slot->expiry = static_cast<Tick>(now + idle_ticks_);
    return slot->blade;
}

bool Placement::place(Tag tag, BladeIndex blade, Tick now) {
    auto& target = blade_of(blade);
    const Slot entry{tag, blade, target.generation, static_cast<Tick>(now + idle_ticks_), 0};
    migrate();
    if (auto* slot = locate(tag); slot && !slot->reserved) {
        forget(*slot);
        *slot = entry;
    } else {
        if (used_ >= max_sessions_) return false;
        insert(entry);
    }
    ++target.sessions;
    ++live_;
    return true;
}

void Placement::insert(const Slot& entry) {
    grow_if_needed();
    current_.vacancy(entry.tag) = entry;
    ++used_;
}

void Placement::release(Tag tag) {
    if (auto* slot = locate(tag); slot && !slot->reserved) erase(slot);
}

void Placement::void_blade(BladeIndex blade) {
    auto& gone = blade_of(blade);
    ++gone.generation;
    live_ -= gone.sessions;
    gone.sessions = 0;
}

void Placement::grow_if_needed() {
    if (used_ * 5 < current_.size() * 4) return;
    while (old_.size() != 0) migrate();
    old_ = std::exchange(current_, SlotArray(current_.size() * 2));
    old_cursor_ = 0;
    hand_ = 0;
}

void Placement::migrate() {
    if (old_.size() == 0) return;
    const auto end = std::min(old_.size(), old_cursor_ + kMovedPerCall);
    for (; old_cursor_ < end; ++old_cursor_) {
        auto& slot = old_[old_cursor_];
        if (slot.tag == 0 || slot.reserved) continue;
        if (is_void(slot)) {
            --used_;
        } else {
            current_.vacancy(slot.tag) = slot;
        }
        slot.reserved = 1;  // kept as a stepping stone for searches that pass through it
    }
    if (old_cursor_ == old_.size()) old_ = SlotArray();
}

std::size_t Placement::sweep(Tick now, std::size_t slots) {
    migrate();
    std::size_t removed = 0;
    for (slots = std::min(slots, current_.size()); slots > 0; --slots) {
        auto& slot = current_[hand_];
        // After a removal another entry may have moved into this slot: look again, do not advance.
        if (slot.tag != 0 && (is_void(slot) || is_idle(slot, now))) {
            erase(&slot);
            ++removed;
            continue;
        }
        hand_ = (hand_ + 1) & (current_.size() - 1);
    }
    return removed;
}

}  // namespace twinsite::slb::session
