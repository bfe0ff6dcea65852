// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "slb/session/slot_array.hpp"
#include "slb/session/tag.hpp"

namespace twinsite::slb::session {

/// Number of a blade inside one shard; small, and used again after a blade is removed.
using BladeIndex = std::uint16_t;

/// Coarse time: units of `kTickSeconds` since the shard started. Wraps; only differences count.
using Tick = std::uint16_t;
inline constexpr unsigned kTickSeconds = 4;
/// Half of the range of Tick: the longest idle time that can be told from the past (36 hours).
inline constexpr unsigned kMaxIdleTicks = 32'000;

/// The placement table: which blade serves a session. Open addressing over 16-byte slots, at most
/// 80 % full, grown by a few slots per call, so that no call is ever long. An entry is made by the
/// session's first request (not its answer: a terminating request may overtake the first answer).
/// Owned by one shard thread. Pure: told the time.
class Placement {
public:
    /// `max_sessions` bounds the memory (20 to 40 bytes each); beyond it `place` refuses.
    /// `idle_ticks` is 1..kMaxIdleTicks.
    Placement(std::size_t max_sessions, unsigned idle_ticks);

    /// The session's blade; a hit renews its idle time. An entry of a voided blade is a miss.
    std::optional<BladeIndex> find(Tag tag, Tick now);
    /// Places or moves a session. False: the table is full and the session is not in it.
    bool place(Tag tag, BladeIndex blade, Tick now);
    /// The session ended.
    void release(Tag tag);
    /// All sessions of a blade are forgotten, at once, whatever their number: the blade lost its
    /// state or is gone.
    void void_blade(BladeIndex blade);
    /// Removes what is idle or void among the next `slots` slots. Call it steadily, with and
    /// without traffic. Returns how many entries it removed.
    std::size_t sweep(Tick now, std::size_t slots);
    /// Brings the bucket of a session into the cache before `find` needs it.
    void prefetch(Tag tag) const { current_.prefetch(tag); }

    void set_limits(std::size_t max_sessions, unsigned idle_ticks);
    /// Sessions that live at a blade (idle ones count until they are swept).
    std::size_t sessions(BladeIndex blade) const;
    /// Entries of living blades.
    std::size_t size() const { return live_; }
    std::size_t capacity_slots() const { return current_.size(); }

private:
    struct Blade {
        std::uint16_t generation = 0;
        std::size_t sessions = 0;
    };

    Blade& blade_of(BladeIndex blade);
    bool is_void(const Slot& slot) const;
    bool is_idle(const Slot& slot, Tick now) const;
    Slot* locate(Tag tag);
    void forget(Slot& slot);
    void erase(Slot* slot);
    void insert(const Slot& slot);
    void migrate();
    void grow_if_needed();

    std::size_t max_sessions_;
    unsigned idle_ticks_;
    SlotArray current_;
    SlotArray old_;               ///< while growing: what is not yet moved; else empty
    std::size_t old_cursor_ = 0;  ///< first slot of `old_` that is not yet moved
    std::size_t used_ = 0;        ///< slots in use in both arrays, void ones included
    std::size_t live_ = 0;
    std::size_t hand_ = 0;  ///< of the sweep, in `current_`
    std::vector<Blade> blades_;
};

}  // namespace twinsite::slb::session
