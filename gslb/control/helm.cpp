// SPDX-License-Identifier: Apache-2.0
#include "gslb/control/helm.hpp"

#include <algorithm>

#include "base/log/log.hpp"
#include "base/text/text.hpp"

namespace twinsite::gslb::control {
namespace {

namespace log = base::log;
using log::Level;

steering::Health to_steering(health::State state) {
    switch (state) {
        case health::State::up:
            return steering::Health::up;
        case health::State::down:
            return steering::Health::down;
        case health::State::unknown:
            break;
    }
    return steering::Health::unknown;
}

const steering::Service* find_service(const steering::Steering& steering, std::string_view name) {
    for (const auto& service : steering.services)
        if (service.name == name) return &service;
    return nullptr;
}

/// The first thing a check complains about.
std::string complaint(const std::vector<health::CheckView>& checks) {
    for (const auto& check : checks)
        if (check.state == health::State::down) return check.name + ": " + check.last_error;
    return "";
}

std::string left_of(const Override& entry, const Moment& now) {
    if (!entry.expires) return "until it is cleared";
    const auto left =
        std::chrono::duration_cast<std::chrono::seconds>(*entry.expires - now.monotonic);
    return "for another " + base::text::format_duration(left);
}

}  // namespace

std::string target_id(std::string_view service, std::string_view target) {
    return std::string(service) + "/" + std::string(target);
}

Helm::Helm(Seams seams, Overrides restored, KeptControl control)
    : seams_(std::move(seams)), overrides_(std::move(restored)), control_(std::move(control)) {}

void Helm::adopt(Setup setup) {
    setup_ = std::move(setup);
    const auto first_version = snapshot_ ? snapshot_->version() + 1 : 1;
    builder_ = std::make_unique<answer::SnapshotBuilder>(
        setup_.index, setup_.prefixes, setup_.steering, first_version
    );
    states_ = read_states();
    for (const auto& entry : overrides_.entries())
        if (check_known(entry.key, *setup_.steering))
            log::event(
                Level::warning,
                "override_without_object",
                {{"service", entry.key.service}, {"object", entry.key.object}}
            );
    for (const auto& object : control_.directives.find_unknown(*setup_.steering))
        log::event(Level::warning, "control_without_object", {{"object", object}});
    build();
}

void Helm::refresh() {
    auto states = read_states();
    if (states == states_) return;
    std::swap(states, states_);
    log_changes(states);
    build();
}

answer::ServiceStates Helm::read_states() const {
    answer::ServiceStates out;
    for (const auto& service : setup_.steering->services) {
        auto& states = out.emplace_back();
        for (const auto& target : service.targets) {
            const auto known = health(service.name, target.name);
            const auto& site = setup_.steering->sites[target.site];
            states.push_back(
                {to_steering(known.state),
                 known.pending,
                 overrides_.forced(service.name, target.name, site),
                 control_.directives.state(service.name, target.name, site)}
            );
        }
    }
    return out;
}

void Helm::log_changes(const answer::ServiceStates& before) const {
    for (std::size_t s = 0; s < states_.size(); ++s)
        for (std::size_t t = 0; t < states_[s].size(); ++t) {
            const auto from = before[s][t].health;
            const auto to = states_[s][t].health;
            if (from == to) continue;
            const auto& service = setup_.steering->services[s];
            const auto& target = service.targets[t];
            const std::vector<log::Field> fields{
                {"service", service.name},
                {"target", target.name},
                {"site", setup_.steering->sites[target.site]},
                {"from", steering::to_string(from)},
                {"to", steering::to_string(to)},
                {"forced", steering::to_string(states_[s][t].forced)},
                {"control", to_control_word(states_[s][t].control)},
                {"cause", complaint(checks(service.name, target.name))}
            };
            if (to == steering::Health::down)
                log::event(Level::warning, "target_state_changed", fields);
            else
                log::event(Level::info, "target_state_changed", fields);
        }
}

void Helm::build() {
    snapshot_ = builder_->build(states_);
    answering_.clear();
    seams_.publish(snapshot_);
    log::event(
        Level::debug,
        "snapshot_published",
        {{"version", snapshot_->version()}, {"decided", builder_->decided()}}
    );
}

bool Helm::keep() {
    const auto kept = seams_.keep(overrides_);
    if (!kept)
        log::event(
            Level::error,
            "state_not_saved",
            {{"what", "overrides"}, {"cause", kept.error().message()}}
        );
    return kept.has_value();
}

std::variant<Helm::Done, Refusal> Helm::set_override(Override wanted, bool force) {
    if (auto refusal = check_known(wanted.key, *setup_.steering)) return *std::move(refusal);
    const auto& service = *find_service(*setup_.steering, wanted.key.service);
    auto refusal = check_keeps_a_site(
        overrides_,
        wanted,
        service,
        setup_.steering->sites,
        find_healthy(service),
        find_control(service)
    );
    if (refusal && !force) return *std::move(refusal);
    log::event(
        Level::warning,
        "override_set",
        {{"service", wanted.key.service},
         {"object", wanted.key.object},
         {"state", steering::to_string(wanted.state)},
         {"reason", wanted.reason},
         {"author", wanted.author},
         {"forced_past", refusal ? refusal->text : ""}}
    );
    overrides_.set(std::move(wanted));
    refresh();  // first: a slow disk must not hold up the answers
    const bool kept = keep();
    return Done{true, kept};
}

std::variant<Helm::Done, Refusal> Helm::clear_override(const OverrideKey& key, bool force) {
    // What stands there may be cleared although the configuration no longer knows its object.
    if (!overrides_.find(key)) {
        if (auto refusal = check_known(key, *setup_.steering)) return *std::move(refusal);
        return Done{false, true};
    }
    auto then = overrides_;
    then.clear(key);
    std::optional<Refusal> refusal;
    if (const auto* service = find_service(*setup_.steering, key.service))
        refusal = check_loses_no_site(
            overrides_,
            then,
            *service,
            setup_.steering->sites,
            find_healthy(*service),
            find_control(*service)
        );
    if (refusal && !force) return *std::move(refusal);
    overrides_ = std::move(then);
    log::event(
        Level::warning,
        "override_cleared",
        {{"service", key.service},
         {"object", key.object},
         {"forced_past", refusal ? refusal->text : ""}}
    );
    refresh();
    const bool kept = keep();
    return Done{true, kept};
}

void Helm::expire(std::chrono::steady_clock::time_point now) {
    const auto before = overrides_;
    const auto gone = overrides_.expire(now);
    if (gone.empty()) return;
    for (const auto& entry : gone)
        log::event(
            Level::warning,
            "override_expired",
            {{"service", entry.key.service},
             {"object", entry.key.object},
             {"state", steering::to_string(entry.state)},
             {"author", entry.author}}
        );
    log_losses(before, gone);
    refresh();
    keep();
}

void Helm::log_losses(const Overrides& before, const std::vector<Override>& gone) const {
    for (const auto& service : setup_.steering->services) {
        const auto is_of = [&](const Override& entry) { return entry.key.service == service.name; };
        if (std::none_of(gone.begin(), gone.end(), is_of)) continue;
        const auto loss = check_loses_no_site(
            before,
            overrides_,
            service,
            setup_.steering->sites,
            find_healthy(service),
            find_control(service)
        );
        if (loss)
            log::event(
                Level::error,
                "service_without_site",
                {{"service", service.name}, {"cause", loss->text}}
            );
    }
}

std::vector<bool> Helm::find_healthy(const steering::Service& service) const {
    std::vector<bool> out;
    for (const auto& target : service.targets)
        out.push_back(health(service.name, target.name).state != health::State::down);
    return out;
}

Explanation Helm::explain(const ExplainQuestion& question, const Moment& now) const {
    auto out = control::explain(question, *snapshot_, states_);
    if (!out.steered) return out;
    const auto& steering = *setup_.steering;
    const auto owner = out.steered->to_string();
    const auto policy = std::find_if(
        steering.policies.begin(),
        steering.policies.end(),
        [&](const steering::Policy& each) { return each.owner == owner; }
    );
    if (policy == steering.policies.end()) return out;
    const auto& service = steering.services[policy->service];
    for (const auto& entry : overrides_.entries())
        if (entry.key.service == service.name)
            out.notes.push_back(
                "override: " + entry.key.object + " is forced " + steering::to_string(entry.state) +
                " by " + entry.author + " " + left_of(entry, now) + ": " + entry.reason
            );
    add_control_notes(service, out);
    for (const auto& target : service.targets)
        if (health(service.name, target.name).restored)
            out.notes.push_back(
                "health of " + target.name + " rests on checks from before the restart"
            );
    return out;
}

health::Health Helm::health(std::string_view service, std::string_view target) const {
    return seams_.health(target_id(service, target));
}

std::vector<health::CheckView> Helm::checks(std::string_view service, std::string_view target)
    const {
    return seams_.checks(target_id(service, target));
}

}  // namespace twinsite::gslb::control
