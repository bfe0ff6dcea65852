// SPDX-License-Identifier: Apache-2.0
#include "switchover/judge/business.hpp"

#include <algorithm>

namespace twinsite::switchover::judge {

namespace {

constexpr std::size_t kMaxRows = 256;  // of one service; results come from outside
constexpr std::size_t kMaxNameBytes = 128;

}  // namespace

Business::Business(const model::Plan& plan, const Rules& rules) : rules_(rules) {
    for (std::size_t i = 0; i < plan.services.size(); ++i)
        services_.emplace_back(rules.business_window);
}

void Business::observe(std::size_t index, std::string_view observer, const ProbeReading& reading) {
    auto& service = services_[index];
    auto row = std::find_if(service.rows.begin(), service.rows.end(), [&](const Row& known) {
        return known.observer == observer && known.probe == reading.name &&
               known.view == reading.view;
    });
    if (row == service.rows.end()) {
        if (service.rows.size() >= kMaxRows || reading.name.size() > kMaxNameBytes ||
            reading.view.size() > kMaxNameBytes)
            return;
        service.rows.push_back(
            {std::string(observer), std::string(reading.name), std::string(reading.view), {}}
        );
        row = std::prev(service.rows.end());
    }
    const auto interval = std::clamp(reading.interval, Duration{100}, Duration{600'000});
    const bool taken =
        row->recent.add(reading.ok, reading.measured, interval, rules_.stale_intervals);
    if (taken && reading.ok)
        service.last_good = std::max(service.last_good, row->recent.measured());
}

void Business::observe_volume(std::size_t index, double attempts, double good, Time at) {
    auto& service = services_[index];
    if (!service.counted_from || at >= *service.counted_from)
        service.volume.add(attempts, good, at);
}

std::optional<Time> Business::good_since(std::size_t index, Time now) const {
    std::optional<Time> since;
    for (const auto& row : services_[index].rows) {
        if (!row.recent.fresh(now)) continue;
        if (!row.recent.good_since()) return std::nullopt;
        since = std::max(since, row.recent.good_since());
    }
    return since;
}

Business::Finding Business::find(std::size_t index, Time now) const {
    const auto& service = services_[index];
    Finding out;
    bool unclear = false;
    for (const auto& row : service.rows) {
        if (!row.recent.fresh(now)) continue;
        const auto majority = row.recent.majority(now);
        out.any = true;
        out.bad = out.bad || majority == Truth::no;
        unclear = unclear || majority == Truth::unknown;
    }
    out.well = out.any && !out.bad && !unclear;
    const auto volume = service.volume.sum(now);
    if (volume.attempts >= rules_.business_min_volume) {
        const bool enough = volume.share() >= rules_.business_floor;
        out.any = true;
        out.well = enough && !out.bad;
        out.good = out.well;
        out.bad = out.bad || !enough;
        return out;
    }
    const auto since = good_since(index, now);
    out.good = since && now - *since >= rules_.business_hold;
    return out;
}

void Business::evaluate(Time now, bool blind, Verdicts& out) {
    out.services.resize(services_.size());
    for (std::size_t i = 0; i < services_.size(); ++i) evaluate_one(i, now, blind, out);
}

void Business::evaluate_one(std::size_t index, Time now, bool blind, Verdicts& out) {
    auto& service = services_[index];
    const auto finding = find(index, now);
    const auto bad_for = lasting(finding.bad, now, service.bad_since);
    Level level = finding.well ? Level::good : Level::none;
    if (finding.bad) level = bad_for >= rules_.business_hold ? Level::confirmed : Level::bad;
    if (blind && level > Level::blind) level = Level::blind;
    const auto before = service.track.state();
    if (service.track.step(level, now, rules_))
        out.changes.push_back({EntityKind::service, index, before, service.track.state()});
    auto& verdict = out.services[index];
    verdict.state = service.track.state();
    verdict.since = service.track.since();
    verdict.flags.stale = !finding.any && !service.rows.empty();
    verdict.flags.flapping = service.track.flapping();
    verdict.flags.blind = level == Level::blind;
    verdict.good = finding.any && !blind ? truth_of(finding.good) : Truth::unknown;
    verdict.last_good = service.last_good;
    write_views(service, now, verdict);
}

void Business::write_views(const Service& service, Time now, ServiceVerdict& verdict) const {
    verdict.views.resize(service.rows.size());
    for (std::size_t i = 0; i < service.rows.size(); ++i) {
        const auto& row = service.rows[i];
        auto& view = verdict.views[i];
        if (view.probe.empty()) {
            view.view = row.view;
            view.observer = row.observer;
            view.probe = row.probe;
        }
        view.ok = row.recent.last();
        view.measured = row.recent.measured();
        view.fresh = row.recent.fresh(now);
    }
}

void Business::acted(std::size_t index, Time now) {
    auto& service = services_[index];
    service.track.acted(now);
    service.bad_since.reset();
    service.volume.clear();
    service.counted_from = now;
    for (auto& row : service.rows) row.recent.clear();
}

void Business::restart_timers() {
    for (auto& service : services_) {
        service.track.restart_timers();
        service.bad_since.reset();
        for (auto& row : service.rows) row.recent.clear();
    }
}

}  // namespace twinsite::switchover::judge
