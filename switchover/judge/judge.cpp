// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/judge.hpp"

#include <utility>

#include "base/error/check.hpp"
#include "switchover/judge/facts.hpp"
#include "switchover/judge/parts.hpp"
#include "switchover/judge/why.hpp"

namespace twinsite::switchover::judge {

namespace {

/// "site:east" -> "site", "east".
std::pair<std::string_view, std::string_view> split_subject(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return {{}, text};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

std::optional<std::size_t> find_acted(
    const Parts& parts, std::string_view kind, std::string_view name
) {
    if (kind == "site") return parts.plan.find_site(name);
    if (kind == "host") return parts.hosts.find(name);
    if (kind == "member") return parts.members.find(name);
    if (kind == "service") return parts.find_service(name);
    if (kind != "process") return std::nullopt;
    const auto [id, process] = split_subject(name);
    const auto host = parts.hosts.find(id);
    return host ? parts.hosts.find_process(*host, process) : std::nullopt;
}

}  // namespace

Judge::Judge(model::Plan plan, Rules rules, Time now)
    : parts_(std::make_unique<Parts>(std::move(plan), rules, now)) {}

Judge::~Judge() = default;

const model::Plan& Judge::plan() const {
    return parts_->plan;
}
const Rules& Judge::rules() const {
    return parts_->rules;
}
const Verdicts& Judge::verdicts() const {
    return parts_->said;
}

std::optional<std::size_t> Judge::find_host(std::string_view id) const {
    return parts_->hosts.find(id);
}

std::optional<std::size_t> Judge::find_member(std::string_view name) const {
    return parts_->members.find(name);
}

void Judge::observe_report(std::size_t host, const HostReading& reading) {
    BASE_CHECK(host < parts_->plan.agents.size());
    parts_->hosts.observe(host, reading);
}

bool Judge::observe_probe(const ProbeReading& reading) {
    auto& parts = *parts_;
    const auto observer = parts.probes.find_observer(reading.observer);
    if (!observer) return false;
    const auto [kind, name] = split_subject(reading.subject);
    if (kind == "site") {
        const auto site = parts.plan.find_site(name);
        if (site) parts.probes.observe(*observer, *site, reading);
        return site.has_value();
    }
    if (kind == "service") {
        const auto service = parts.find_service(name);
        if (service)
            parts.business.observe(*service, parts.probes.observer_name(*observer), reading);
        return service.has_value();
    }
    return kind == "process" && parts.hosts.observe_outside(name, reading);
}

void Judge::observe_member(std::size_t member, const MemberReading& reading) {
    BASE_CHECK(member < parts_->members.size());
    parts_->members.observe(member, reading);
}

void Judge::observe_volume(std::string_view name, double attempts, double good, Time at) {
    if (const auto service = parts_->find_service(name))
        parts_->business.observe_volume(*service, attempts, good, at);
}

void Judge::observe_load(std::string_view name, double per_second, Time at) {
    if (const auto site = parts_->plan.find_site(name))
        parts_->sites.observe_load(*site, per_second, at);
}

void Judge::set_maintenance(std::string_view name, bool on) {
    if (const auto site = parts_->plan.find_site(name)) parts_->sites.set_maintenance(*site, on);
}

void Judge::acted(std::string_view entity, Time now) {
    auto& parts = *parts_;
    const auto [kind, name] = split_subject(entity);
    const auto index = find_acted(parts, kind, name);
    if (!index) return;
    if (kind == "site") parts.sites.acted(*index, now);
    if (kind == "host") parts.hosts.acted_on_host(*index, now);
    if (kind == "process") parts.hosts.acted_on_process(*index, now);
    if (kind == "member") parts.members.acted(*index, now);
    if (kind == "service") parts.business.acted(*index, now);
}

const Verdicts& Judge::evaluate(Time now) {
    auto& parts = *parts_;
    auto& said = parts.said;
    said.at = now;
    said.changes.clear();
    parts.heard.assign(parts.places.size(), false);
    parts.hosts.evaluate(now, said, parts.heard);
    parts.members.hear(now, parts.heard);
    const bool was_blind = said.blind.is;
    parts.sites.judge_blindness(now, parts.hosts, parts.heard, said.blind);
    if (was_blind && !said.blind.is) {
        // What was seen while blind does not count.
        parts.hosts.restart_timers(now);
        parts.probes.clear();
        parts.members.restart_timers();
        parts.business.restart_timers();
        parts.sites.restart_timers();
    }
    if (was_blind || said.blind.is) parts.hosts.mark_blind(said.blind.is, said);
    parts.members.evaluate(now, said.blind.is, said);
    parts.business.evaluate(now, said.blind.is, said);
    parts.sites.evaluate(now, parts.hosts, parts.heard, said);
    return said;
}

std::optional<Fact> Judge::fact(std::string_view name, std::span<const std::string> arguments)
    const {
    return find_fact(*parts_, name, arguments);
}

std::vector<Gate> Judge::why(std::string_view name, std::span<const std::string> arguments) const {
    return explain_fact(*parts_, name, arguments);
}

std::vector<Gate> Judge::problems(std::size_t site) const {
    return problems_of(*parts_, site);
}

std::vector<Gate> Judge::brakes(std::string_view site) const {
    const auto index = parts_->plan.find_site(site);
    return index ? brakes_of(*parts_, *index) : std::vector<Gate>{};
}

}  // namespace twinsite::switchover::judge
