// SPDX-License-Identifier: Apache-2.0
#include "slb/control/control_state.hpp"

#include "base/log/log.hpp"

namespace twinsite::slb::control {

namespace log = base::log;
using wire::contract::DesiredObject;

namespace {

const DesiredObject* find_object(const BladeControl& in, const std::string& name) {
    for (const auto& each : in.desired().objects)
        if (each.object == name) return &each;
    return nullptr;
}

}  // namespace

ControlState::ControlState(Seams seams, Kept restored)
    : seams_(std::move(seams)), kept_(std::move(restored)) {}

bool ControlState::raise(const wire::contract::Fence& fence) {
    const auto before = this->fence();
    if (!kept_.fences.accept(kScope, fence)) return false;
    if (fence != before) on_disk_ = false;
    return true;
}

bool ControlState::keep() {
    if (on_disk_) return true;
    const auto saved = seams_.keep(kept_);
    on_disk_ = saved.has_value();
    if (!saved)
        log::event(
            log::Level::error,
            "state_not_saved",
            {{"what", "control"}, {"cause", saved.error().message()}}
        );
    return on_disk_;
}

std::variant<ControlState::Taken, ControlState::Stale> ControlState::take(
    BladeControl wanted, Time now
) {
    if (!raise(wanted.desired().fence)) return Stale{fence()};
    heard_ = now;
    Taken out;
    out.changed = wanted.desired().server != blades().desired().server ||
                  wanted.desired().objects != blades().desired().objects;
    const auto before = std::move(kept_.blades);
    kept_.blades = std::move(wanted);
    if (out.changed) {
        on_disk_ = false;
        log_changes(before);
        seams_.apply();
    }
    out.kept = keep();
    return out;
}

std::variant<ControlState::Taken, ControlState::Stale> ControlState::check(
    const wire::contract::Fence& fence
) {
    if (!raise(fence)) return Stale{this->fence()};
    return Taken{false, keep()};
}

void ControlState::log_changes(const BladeControl& before) const {
    const auto& now = kept_.blades.desired();
    log::event(
        log::Level::info,
        "desired_taken",
        {{"server", now.server}, {"fence", to_string(now.fence)}, {"objects", now.objects.size()}}
    );
    const auto log_change = [&](const DesiredObject* from, const DesiredObject* to) {
        const auto& named = to != nullptr ? *to : *from;
        log::event(
            log::Level::warning,
            "control_changed",
            {{"object", named.object},
             {"from", from != nullptr ? from->state : std::string()},
             {"to", to != nullptr ? to->state : std::string()},
             {"reason", named.reason},
             {"server", now.server}}
        );
    };
    for (const auto& object : now.objects) {
        const auto* from = find_object(before, object.object);
        if (from == nullptr || from->state != object.state) log_change(from, &object);
    }
    for (const auto& object : before.desired().objects)
        if (find_object(kept_.blades, object.object) == nullptr) log_change(&object, nullptr);
}

}  // namespace twinsite::slb::control
