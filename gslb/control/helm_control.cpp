// SPDX-License-Identifier: Apache-2.0
// The helm's part for switchover's control.
#include <algorithm>
#include <set>

#include "base/log/log.hpp"
#include "gslb/control/helm.hpp"
#include "gslb/steering/decide.hpp"

namespace twinsite::gslb::control {
namespace {

namespace log = base::log;
using base::text::Family;
using log::Level;
using steering::Forced;
using steering::Health;
using wire::contract::DesiredObject;

const DesiredObject* find_object(const Directives& in, const std::string& name) {
    for (const auto& each : in.desired().objects)
        if (each.object == name) return &each;
    return nullptr;
}

std::string state_of(const DesiredObject* object) {
    return object == nullptr ? "" : object->state;
}

bool same_list(const Directives& a, const Directives& b) {
    return a.desired().server == b.desired().server && a.desired().objects == b.desired().objects;
}

/// What all targets of a site have in common: "" when one of them has no word.
struct Words {
    std::string_view weakest = "-";

    void add(std::string_view word) {
        const auto rank = [](std::string_view text) {
            return text.empty() ? 0 : text == "up" || text == "in" ? 1 : text == "drain" ? 2 : 3;
        };
        if (weakest == "-" || rank(word) < rank(weakest)) weakest = word;
    }
};

Health better(Health a, Health b) {
    if (a == Health::up || b == Health::up) return Health::up;
    return a == Health::unknown || b == Health::unknown ? Health::unknown : Health::down;
}

}  // namespace

std::variant<Helm::Desired, Helm::Stale, Refusal> Helm::set_desired(
    Directives wanted, const Moment& now
) {
    auto fences = control_.fences;
    if (!fences.accept(kFenceScope, wanted.desired().fence)) return Stale{fence()};
    const bool raised = fences != control_.fences;
    const bool changed = !same_list(control_.directives, wanted);
    control_.fences = std::move(fences);
    heard_ = now.monotonic;
    // What is told again is never refused: operators may have changed the rest meanwhile.
    std::optional<Refusal> refusal;
    if (changed)
        refusal = check_leaves_a_site(control_.directives, wanted, overrides_, *setup_.steering);
    if (refusal) {
        if (raised) keep_control();
        return *std::move(refusal);
    }
    auto before = std::move(control_.directives);
    control_.directives = std::move(wanted);
    if (changed) log_control(before);
    refresh();  // first: a slow disk must not hold up the answers
    Desired out;
    out.changed = changed;
    out.kept = changed || raised || !control_kept_ ? keep_control() : true;
    out.unknown = control_.directives.find_unknown(*setup_.steering);
    return out;
}

bool Helm::keep_control() {
    const auto kept = seams_.keep_control ? seams_.keep_control(control_) : base::Result<void>();
    control_kept_ = kept.has_value();
    if (!kept)
        log::event(
            Level::error,
            "state_not_saved",
            {{"what", "control"}, {"cause", kept.error().message()}}
        );
    return control_kept_;
}

void Helm::log_control(const Directives& before) const {
    const auto& now = control_.directives.desired();
    log::event(
        Level::info,
        "desired_taken",
        {{"server", now.server}, {"fence", to_string(now.fence)}, {"objects", now.objects.size()}}
    );
    const auto log_change = [&](const DesiredObject* from, const DesiredObject* to) {
        const auto& named = to != nullptr ? *to : *from;
        log::event(
            Level::warning,
            "control_changed",
            {{"object", named.object},
             {"from", state_of(from)},
             {"to", state_of(to)},
             {"reason", named.reason},
             {"server", now.server}}
        );
    };
    for (const auto& object : now.objects) {
        const auto* from = find_object(before, object.object);
        if (state_of(from) != object.state) log_change(from, &object);
    }
    for (const auto& object : before.desired().objects)
        if (find_object(control_.directives, object.object) == nullptr)
            log_change(&object, nullptr);
}

std::vector<Forced> Helm::find_control(const steering::Service& service) const {
    std::vector<Forced> out;
    for (const auto& target : service.targets)
        out.push_back(control_.directives.state(
            service.name, target.name, setup_.steering->sites[target.site]
        ));
    return out;
}

void Helm::add_control_notes(const steering::Service& service, Explanation& out) const {
    std::vector<const Directives::Entry*> told;
    for (const auto& target : service.targets) {
        const auto* entry = control_.directives.find(
            service.name, target.name, setup_.steering->sites[target.site]
        );
        if (entry == nullptr || std::find(told.begin(), told.end(), entry) != told.end()) continue;
        told.push_back(entry);
        const auto& object = entry->object;
        const auto& server = control_.directives.desired().server;
        std::string note = "control: " + object.object + " is " + object.state;
        note += " by " + (server.empty() ? "a server without name" : server);
        if (!object.since.empty()) note += " since " + object.since;
        if (!object.reason.empty()) note += ": " + object.reason;
        out.notes.push_back(std::move(note));
    }
}

std::vector<bool> Helm::find_answering(std::size_t service) const {
    const auto& steering = *setup_.steering;
    const auto& states = states_[service];
    std::vector<bool> out(states.size());
    // All that can be found at all: then the rest of the classes need no look.
    auto missing = std::count_if(states.begin(), states.end(), [](const auto& state) {
        return word_of(state) != Forced::down;
    });
    const auto take = [&](const steering::Plan& plan) {
        for (const auto& member : plan.members) {
            if (!out[member.target]) --missing;
            out[member.target] = true;
        }
        return plan.client_dependent;
    };
    for (const auto& policy : steering.policies) {
        if (policy.service != service) continue;
        for (const auto family : {Family::v4, Family::v6})
            for (const auto& sites : setup_.prefixes->classes())
                if (missing <= 0 ||
                    !take(steering::decide(steering, policy, states, sites, family)))
                    break;
    }
    return out;
}

Helm::SiteView Helm::view_site(
    std::size_t service, steering::SiteIndex site, const std::vector<bool>& answering
) const {
    const auto& of = setup_.steering->services[service];
    SiteView out{setup_.steering->sites[site], of.name, Health::down, "", "", false};
    Words control;
    Words override_;
    for (std::size_t t = 0; t < of.targets.size(); ++t) {
        if (of.targets[t].site != site) continue;
        const auto& state = states_[service][t];
        out.health = better(out.health, state.health);
        const auto* entry = control_.directives.find(of.name, of.targets[t].name, out.site);
        control.add(entry == nullptr ? "" : to_control_word(entry->state));
        override_.add(state.forced == Forced::none ? "" : steering::to_string(state.forced));
        out.answering = out.answering || answering[t];
    }
    out.control = control.weakest;
    out.override_ = override_.weakest;
    return out;
}

std::vector<Helm::SiteView> Helm::site_views() const {
    std::vector<SiteView> out;
    const auto& services = setup_.steering->services;
    for (std::size_t s = answering_.size(); s < services.size(); ++s)
        answering_.push_back(find_answering(s));
    for (std::size_t s = 0; s < services.size(); ++s) {
        std::set<steering::SiteIndex> sites;
        for (const auto& target : services[s].targets) sites.insert(target.site);
        for (const auto site : sites) out.push_back(view_site(s, site, answering_[s]));
    }
    return out;
}

}  // namespace twinsite::gslb::control
