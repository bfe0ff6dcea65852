// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error/result.hpp"
#include "slb/control/blade_control.hpp"
#include "wire/contract/fence.hpp"

namespace twinsite::slb::control {

/// What switchover wants here, with the fence that guards it. Main thread; told the time.
class ControlState {
public:
    using Time = std::chrono::steady_clock::time_point;
    struct Kept {
        wire::contract::FenceGuard fences;
        BladeControl blades;
    };
    struct Seams {
        /// Runs the blades as they should be now.
        std::function<void()> apply;
        /// Brings both to disk.
        std::function<base::Result<void>(const Kept&)> keep;
    };
    struct Taken {
        bool changed = false;
        bool kept = true;  ///< false: in force, but not on disk
    };
    struct Stale {
        wire::contract::Fence highest;
    };

    ControlState(Seams seams, Kept restored);

    /// Takes the whole list unless a higher fence has been seen.
    std::variant<Taken, Stale> take(BladeControl wanted, Time now);
    /// The fence of another order; `Taken::kept` false when a raised one could not be written.
    std::variant<Taken, Stale> check(const wire::contract::Fence& fence);

    const BladeControl& blades() const { return kept_.blades; }
    wire::contract::Fence fence() const { return kept_.fences.highest(kScope); }
    /// When switchover told its list last; none: not since the start.
    std::optional<Time> heard() const { return heard_; }

private:
    static constexpr std::string_view kScope = "control";
    /// False when the fence is too low; else it counts from now on.
    bool raise(const wire::contract::Fence& fence);
    bool keep();
    void log_changes(const BladeControl& before) const;

    Seams seams_;
    Kept kept_;
    bool on_disk_ = true;
    std::optional<Time> heard_;
};

}  // namespace twinsite::slb::control
