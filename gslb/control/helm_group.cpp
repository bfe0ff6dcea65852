// SPDX-License-Identifier: Apache-2.0
// The helm's part for the group: what other members say.
#include <algorithm>

#include "base/log/log.hpp"
#include "gslb/control/decisions.hpp"
#include "gslb/control/helm.hpp"
#include "gslb/control/override_sync.hpp"

namespace twinsite::gslb::control {
namespace {

namespace log = base::log;
using log::Level;
using steering::Forced;

void log_taken(const Override& entry) {
    const std::vector<log::Field> fields{
        {"service", entry.key.service},
        {"object", entry.key.object},
        {"state", steering::to_string(entry.state)},
        {"reason", entry.reason},
        {"author", entry.author},
        {"node", entry.stamp.node}
    };
    if (entry.state == Forced::none)
        log::event(Level::warning, "override_cleared_by_peer", fields);
    else
        log::event(Level::warning, "override_set_by_peer", fields);
}

}  // namespace

wire::group::Stamp Helm::make_stamp(const Moment& now) {
    const auto wall = std::chrono::floor<std::chrono::milliseconds>(now.wall).time_since_epoch();
    // What stands here was heard: whatever is said now must be later, in epoch too.
    const auto epoch = std::max(epoch_, overrides_.latest().epoch);
    const auto ms = std::max<std::int64_t>(wall.count(), 0);
    return {epoch, clock_.tick(static_cast<std::uint64_t>(ms)), setup_.node};
}

bool Helm::merge_overrides(const wire::group::Overrides& said, const Moment& now) {
    const auto before = overrides_;
    std::vector<Override> taken;
    for (const auto& entry : said.entries) {
        auto heard = from_wire(entry, now);
        clock_.see(heard.stamp.clock);
        // Its time ran out on the way: no override, but still the last word.
        if (heard.expires && *heard.expires <= now.monotonic) heard.state = Forced::none;
        if (overrides_.merge(heard)) taken.push_back(std::move(heard));
    }
    if (taken.empty()) return false;
    for (const auto& entry : taken) log_taken(entry);
    log_losses(before, taken);
    refresh();
    keep();
    return true;
}

bool Helm::raise_fences(const wire::group::Fences& heard) {
    auto fences = control_.fences;
    for (const auto& each : heard.list) {
        if (each.fence > fences.highest(each.scope)) fences.accept(each.scope, each.fence);
    }
    if (fences == control_.fences) return false;
    control_.fences = std::move(fences);
    log::event(Level::info, "fence_raised_by_peer", {{"fence", to_string(fence())}});
    keep_control();
    return true;
}

wire::group::Fences Helm::fences() const {
    wire::group::Fences out;
    out.list.push_back({std::string(kFenceScope), fence()});
    return out;
}

const std::vector<wire::group::PolicyDigest>& Helm::decisions() const {
    if (!decisions_)
        decisions_ =
            digest_decisions(*snapshot_, states_, measured_.facts(), setup_.configuration);
    return *decisions_;
}

}  // namespace twinsite::gslb::control
