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
    const std::vector<bool>& healthy
) {
    if (!forced_away(wanted.state)) return std::nullopt;
    Overrides then = now;
    then.set(wanted);
    bool some_open = false;
    bool some_healthy_now = false;
    bool some_healthy_then = false;
    for (std::size_t i = 0; i < service.targets.size(); ++i) {
        const auto& target = service.targets[i];
        const auto before = now.forced(service.name, target.name, sites[target.site]);
        const auto after = then.forced(service.name, target.name, sites[target.site]);
        const bool well = i < healthy.size() && healthy[i];
        some_open |= !forced_away(after);
        some_healthy_now |= before == Forced::up || (before == Forced::none && well);
        some_healthy_then |= after == Forced::up || (after == Forced::none && well);
    }
    const auto sentence = [&](std::string_view rest) {
        return Refusal{
            Refusal::Cause::last_site,
            "service " + quoted(service.name) + " would be left without " + std::string(rest),
            {}
        };
    };
    if (!some_open) return sentence("any site that is not forced down or drained");
    if (some_healthy_now && !some_healthy_then) return sentence("any healthy target");
    return std::nullopt;
}

std::optional<Forced> parse_forced(std::string_view text) {
    if (text == "up") return Forced::up;
    if (text == "down") return Forced::down;
    if (text == "drain") return Forced::drain;
    return std::nullopt;
}

}  // namespace twinsite::gslb::control
