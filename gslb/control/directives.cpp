// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/directives.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace twinsite::gslb::control {
namespace {

using steering::Forced;

std::optional<Forced> parse_state(std::string_view text) {
    if (text == "in") return Forced::none;
    if (text == "out") return Forced::down;
    if (text == "drain") return Forced::drain;
    return std::nullopt;
}

/// Both parts of "ocs@east"; false unless both are there.
bool split(std::string_view text, char separator, std::string& first, std::string& second) {
    const auto at = text.find(separator);
    if (at == std::string_view::npos) return false;
    first = text.substr(0, at);
    second = text.substr(at + 1);
    return !first.empty() && !second.empty();
}

bool read_name(Directives::Entry& out) {
    const auto [kind, rest] = wire::contract::split_object(out.object.object);
    if (kind == "site") {
        out.site = rest;
        return !rest.empty();
    }
    if (kind == "service") return split(rest, '@', out.service, out.site);
    if (kind == "target") return split(rest, '/', out.service, out.target);
    return false;
}

bool speaks_of(
    const Directives::Entry& entry,
    std::string_view service,
    std::string_view target,
    std::string_view site
) {
    if (!entry.target.empty()) return entry.service == service && entry.target == target;
    return entry.site == site && (entry.service.empty() || entry.service == service);
}

/// The more the state takes away and the closer the name, the higher.
int weight_of(const Directives::Entry& entry) {
    const int state = entry.state == Forced::down ? 2 : entry.state == Forced::drain ? 1 : 0;
    const int closeness = !entry.target.empty() ? 2 : !entry.service.empty() ? 1 : 0;
    return state * 3 + closeness;
}

bool is_known(const Directives::Entry& entry, const steering::Steering& steering) {
    if (entry.service.empty())
        return std::find(steering.sites.begin(), steering.sites.end(), entry.site) !=
               steering.sites.end();
    for (const auto& service : steering.services) {
        if (service.name != entry.service) continue;
        return std::any_of(
            service.targets.begin(),
            service.targets.end(),
            [&](const steering::Target& target) {
                return speaks_of(entry, service.name, target.name, steering.sites[target.site]);
            }
        );
    }
    return false;
}

bool has_open(
    const Directives& directives,
    const Overrides& overrides,
    const steering::Service& service,
    const std::vector<std::string>& sites
) {
    return std::any_of(
        service.targets.begin(),
        service.targets.end(),
        [&](const steering::Target& target) {
            steering::TargetState state;
            const auto& site = sites[target.site];
            state.forced = overrides.forced(service.name, target.name, site);
            state.control = directives.state(service.name, target.name, site);
            return word_of(state) != Forced::down;
        }
    );
}

}  // namespace

std::variant<Directives, std::string> Directives::read(wire::contract::Desired desired) {
    Directives out;
    for (const auto& object : desired.objects) {
        Entry entry;
        entry.object = object;
        const auto name = "object '" + base::text::printable(object.object) + "'";
        if (!read_name(entry)) return name + " must be site:S, service:NAME@S or target:NAME/T";
        const auto state = parse_state(object.state);
        if (!state) return name + ": the state must be in, out or drain";
        entry.state = *state;
        out.entries_.push_back(std::move(entry));
    }
    out.desired_ = std::move(desired);
    return out;
}

const Directives::Entry* Directives::find(
    std::string_view service, std::string_view target, std::string_view site
) const {
    const Entry* out = nullptr;
    for (const auto& entry : entries_) {
        if (!speaks_of(entry, service, target, site)) continue;
        if (out == nullptr || weight_of(entry) > weight_of(*out)) out = &entry;
    }
    return out;
}

std::vector<std::string> Directives::find_unknown(const steering::Steering& steering) const {
    std::vector<std::string> out;
    for (const auto& entry : entries_)
        if (!is_known(entry, steering)) out.push_back(entry.object.object);
    return out;
}

std::optional<Refusal> check_leaves_a_site(
    const Directives& now,
    const Directives& wanted,
    const Overrides& overrides,
    const steering::Steering& steering
) {
    for (const auto& service : steering.services) {
        if (!has_open(now, overrides, service, steering.sites)) continue;
        if (has_open(wanted, overrides, service, steering.sites)) continue;
        return Refusal{
            Refusal::Cause::last_site,
            "service '" + service.name + "' would be left without any site that is not out",
            {}
        };
    }
    return std::nullopt;
}

const char* to_control_word(Forced state) noexcept {
    switch (state) {
        case Forced::down:
            return "out";
        case Forced::drain:
            return "drain";
        case Forced::none:
        case Forced::up:
            break;
    }
    return "in";
}

}  // namespace twinsite::gslb::control
