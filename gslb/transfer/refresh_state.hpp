// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "gslb/transfer/records.hpp"

namespace twinsite::gslb::transfer {

/// When a secondary asks its primaries, and when it must stop answering (RFC 1035 section 3.3.13,
/// RFC 1034 section 4.3.5). Pure: told events with their time on the monotonic clock.
class RefreshState {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Seconds = std::chrono::seconds;

    /// Bounds for what a SOA says: a primary cannot make us ask without pause, nor never.
    static constexpr Seconds kLeast{1};
    static constexpr Seconds kMost{28 * 86'400};
    /// Without a copy there is no SOA to say when to ask again: this, doubled up to the second.
    static constexpr Seconds kFirstRetry{2};
    static constexpr Seconds kLastRetry{300};

    enum class Phase : std::uint8_t {
        empty,    ///< never had the zone
        current,  ///< asked within the refresh time, and the primary has nothing newer
        stale,    ///< the last asking failed; the copy is still served
        expired,  ///< no primary has been heard for the expire time
    };

    /// Asks at once.
    explicit RefreshState(Time now) : next_(now) {}

    /// A copy from disk, confirmed `age` ago. Asks at once.
    void restored(const Soa& soa, Time now, Seconds age);
    /// A primary has the serial that is here, or a newer one was taken: `soa` is that of the copy.
    void confirmed(const Soa& soa, Time now);
    void failed(Time now);
    /// A NOTIFY, or an operator: ask at once.
    void ask_now(Time now);
    /// Moves to expired when it is time. True when that happened in this call.
    bool expire(Time now);

    /// When to ask next.
    Time next() const { return next_; }
    /// When the copy expires; none without a copy, or once expired.
    std::optional<Time> expires() const;
    Phase phase() const { return phase_; }
    /// Since when the updates have stopped: the first failure after the last success.
    std::optional<Time> failing_since() const { return failing_since_; }
    std::optional<Time> confirmed_at() const { return confirmed_at_; }

private:
    Phase phase_ = Phase::empty;
    Seconds refresh_{kFirstRetry};
    Seconds retry_{kFirstRetry};
    Seconds expire_{kMost};
    Time next_;
    std::optional<Time> confirmed_at_;
    std::optional<Time> failing_since_;
};

const char* to_string(RefreshState::Phase phase) noexcept;

}  // namespace twinsite::gslb::transfer
