// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/overrides.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace twinsite::gslb::control {
namespace {

using steering::Forced;

constexpr std::string_view kSitePrefix = "site:";

bool forced_away(Forced forced) {
    return forced == Forced::down || forced == Forced::drain;
}

std::vector<std::string> objects_of(
    const steering::Service& service, std::span<const std::string> sites
) {
    std::vector<std::string> out;
    for (const auto& target : service.targets) out.push_back(target.name);
    for (const auto& target : service.targets) {
        auto site = std::string(kSitePrefix) + sites[target.site];
        if (std::find(out.begin(), out.end(), site) == out.end()) out.push_back(std::move(site));
    }
    return out;
}

/// The nearest names first, then all others: a short list is worth more than no hint.
std::vector<std::string> candidates(std::string_view word, std::vector<std::string> known) {
    constexpr std::size_t kMost = 20;
    auto out = base::text::nearest(word, known);
    for (auto& name : known)
        if (out.size() < kMost && std::find(out.begin(), out.end(), name) == out.end())
            out.push_back(std::move(name));
    return out;
}

std::string quoted(std::string_view text) {
    return "'" + base::text::printable(text) + "'";
}

/// What a service can still answer with.
struct Reach {
    bool some_open = false;     ///< a target is not forced away
    bool some_healthy = false;  ///< one is forced up, or left to checks that do not say down
};

Reach find_reach(
    const Overrides& overrides,
    const steering::Service& service,
    std::span<const std::string> sites,
    const std::vector<bool>& healthy,
    const std::vector<Forced>& control
) {
    Reach out;
    for (std::size_t i = 0; i < service.targets.size(); ++i) {
        const auto& target = service.targets[i];
        steering::TargetState state;
        state.forced = overrides.forced(service.name, target.name, sites[target.site]);
        if (i < control.size()) state.control = control[i];
        const auto forced = word_of(state);
        const bool well = i < healthy.size() && healthy[i];
        out.some_open |= !forced_away(forced);
        out.some_healthy |= forced == Forced::up || (forced == Forced::none && well);
    }
    return out;
}

Refusal left_without(const steering::Service& service, std::string_view what) {
    return Refusal{
        Refusal::Cause::last_site,
        "service " + quoted(service.name) + " would be left without " + std::string(what),
        {}
    };
}

Refusal left_without_site(const steering::Service& service) {
    return left_without(service, "any site that is not forced down or drained");
}

Refusal left_without_healthy(const steering::Service& service) {
    return left_without(service, "any healthy target");
}

}  // namespace

Moment Moment::now() {
    return {std::chrono::steady_clock::now(), std::chrono::system_clock::now()};
}

std::optional<std::string_view> OverrideKey::site() const {
    if (!object.starts_with(kSitePrefix)) return std::nullopt;
    return std::string_view(object).substr(kSitePrefix.size());
}

void Overrides::set(Override entry) {
    const auto at = std::lower_bound(
        entries_.begin(),
        entries_.end(),
        entry.key,
        [](const Override& a, const OverrideKey& key) { return a.key < key; }
    );
    if (at != entries_.end() && at->key == entry.key)
        *at = std::move(entry);
    else
        entries_.insert(at, std::move(entry));
}

bool Overrides::clear(const OverrideKey& key) {
    return std::erase_if(entries_, [&](const Override& entry) { return entry.key == key; }) > 0;
}

std::vector<Override> Overrides::expire(std::chrono::steady_clock::time_point now) {
    std::vector<Override> out;
    for (const auto& entry : entries_)
        if (entry.expires && *entry.expires <= now) out.push_back(entry);
    for (const auto& entry : out) clear(entry.key);
    return out;
}

std::optional<std::chrono::steady_clock::time_point> Overrides::next_expiry() const {
    std::optional<std::chrono::steady_clock::time_point> next;
    for (const auto& entry : entries_)
        if (entry.expires && (!next || *entry.expires < *next)) next = entry.expires;
    return next;
}

const Override* Overrides::find(const OverrideKey& key) const {
    for (const auto& entry : entries_)
        if (entry.key == key) return &entry;
    return nullptr;
}

Forced Overrides::forced(std::string_view service, std::string_view target, std::string_view site)
    const {
    Forced of_site = Forced::none;
    for (const auto& entry : entries_) {
        if (entry.key.service != service) continue;
        if (entry.key.object == target) return entry.state;
        if (entry.key.site() == site) of_site = entry.state;
    }
    return of_site;
}

std::optional<Refusal> check_known(const OverrideKey& key, const steering::Steering& steering) {
    std::vector<std::string> names;
    for (const auto& service : steering.services) {
        names.push_back(service.name);
        if (service.name != key.service) continue;
        auto objects = objects_of(service, steering.sites);
        if (std::find(objects.begin(), objects.end(), key.object) != objects.end())
            return std::nullopt;
        return Refusal{
            Refusal::Cause::unknown_object,
            "service " + quoted(key.service) + " has no target or site " + quoted(key.object),
            candidates(key.object, std::move(objects))
        };
    }
    return Refusal{
        Refusal::Cause::unknown_service,
        "there is no service " + quoted(key.service),
        candidates(key.service, std::move(names))
    };
}

std::optional<Refusal> check_keeps_a_site(
    const Overrides& now,
    const Override& wanted,
    const steering::Service& service,
    std::span<const std::string> sites,
    const std::vector<bool>& healthy,
    const std::vector<Forced>& control
) {
    if (!forced_away(wanted.state)) return std::nullopt;
    Overrides then = now;
    then.set(wanted);
    const auto before = find_reach(now, service, sites, healthy, control);
    const auto after = find_reach(then, service, sites, healthy, control);
    if (!after.some_open) return left_without_site(service);
    if (before.some_healthy && !after.some_healthy) return left_without_healthy(service);
    return std::nullopt;
}

std::optional<Refusal> check_loses_no_site(
    const Overrides& now,
    const Overrides& then,
    const steering::Service& service,
    std::span<const std::string> sites,
    const std::vector<bool>& healthy,
    const std::vector<Forced>& control
) {
    const auto before = find_reach(now, service, sites, healthy, control);
    const auto after = find_reach(then, service, sites, healthy, control);
    if (before.some_open && !after.some_open) return left_without_site(service);
    if (before.some_healthy && !after.some_healthy) return left_without_healthy(service);
    return std::nullopt;
}

std::optional<Forced> parse_forced(std::string_view text) {
    if (text == "up") return Forced::up;
    if (text == "down") return Forced::down;
    if (text == "drain") return Forced::drain;
    return std::nullopt;
}

}  // namespace twinsite::gslb::control
