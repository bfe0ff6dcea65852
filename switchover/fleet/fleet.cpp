// SPDX-License-Identifier: Apache-2.0
#include "switchover/fleet/fleet.hpp"

#include <algorithm>
#include <utility>

#include "base/error/check.hpp"
#include "switchover/fleet/measurements.hpp"
#include "switchover/fleet/seen_reports.hpp"
#include "switchover/fleet/series_limit.hpp"
#include "wire/contract/report.hpp"

namespace twinsite::switchover::fleet {
namespace {

using std::chrono::milliseconds;
using wire::contract::Batch;
using wire::contract::Identity;
using wire::contract::ProbeResult;
using wire::contract::Report;

/// What a sender claims is bounded before it is reckoned with.
constexpr std::uint64_t kMaxAgeMs = 365ULL * 24 * 3600 * 1000;
constexpr std::uint64_t kMinIntervalMs = 100;
constexpr std::uint64_t kMaxIntervalMs = 600'000;
constexpr std::uint64_t kUsualIntervalMs = 10'000;

constexpr std::size_t kViasKept = 4;
constexpr std::size_t kProbesPerMonitor = 512;
/// Monitors tell the last result of each probe, also when there is no newer one: it then seems to
/// be measured at nearly the same time. No probe runs so often.
constexpr milliseconds kSameMeasurement{50};
/// Points handed to the history at once, and the most that wait for `tick`.
constexpr std::size_t kHistoryBatch = 8'192;
constexpr const char* kDirect = "direct";

milliseconds age_of(std::uint64_t age_ms) {
    return milliseconds(std::min(age_ms, kMaxAgeMs));
}

milliseconds interval_of(std::uint64_t interval_ms) {
    if (interval_ms == 0) interval_ms = kUsualIntervalMs;
    return milliseconds(std::clamp(interval_ms, kMinIntervalMs, kMaxIntervalMs));
}

/// The sender's wall clock less ours, when what it sent at `sent_wall_ms` was `held` long under
/// way. What the way takes beyond makes the figure smaller, never larger.
std::int64_t skew_of(std::uint64_t sent_wall_ms, std::int64_t wall_ms, milliseconds held) {
    // A clock beyond the year 10,000 is shown as one of that year.
    constexpr std::uint64_t kLastWallMs = 253'402'300'800'000;
    return static_cast<std::int64_t>(std::min(sent_wall_ms, kLastWallMs)) -
           (wall_ms - held.count());
}

/// Of estimates close to each other the larger counts, as delays only lessen them; it is forgotten
/// slowly, as clocks drift. A clock that was set shows at once.
void learn_skew(std::optional<std::int64_t>& skew, std::int64_t seen) {
    constexpr std::int64_t kSetMs = 2'000;
    constexpr std::int64_t kForget = 8;
    if (!skew || seen >= *skew || *skew - seen > kSetMs)
        skew = seen;
    else
        *skew -= (*skew - seen + kForget - 1) / kForget;
}

void note_via(Host& host, const std::string& via, Time now) {
    for (auto& known : host.via) {
        if (known.name != via) continue;
        known.last = now;
        return;
    }
    if (host.via.size() < kViasKept) host.via.push_back({via, now});
}

bool is_repeat(const ProbeFact& kept, const ProbeFact& fact) {
    return fact.ok == kept.ok && fact.at <= kept.at + kSameMeasurement;
}

/// Of the same run the higher number, else the later measurement.
bool fresher(const Host& host, const Report& report, Time measured) {
    if (report.backfill) return false;
    if (!host.heard()) return true;
    if (host.last->boot_id == report.boot_id) return report.seq > host.last->seq;
    return measured > host.measured;
}

}  // namespace

Fleet::Fleet(const Roster& roster, Listeners listeners)
    : listeners_(std::move(listeners)), services_(roster.services) {
    for (const auto& plan : roster.agents) {
        Host host;
        host.id = wire::contract::host_id(plan.site, plan.name);
        host.site = plan.site;
        host.name = plan.name;
        host.kind = plan.kind;
        const bool first = host_index_.emplace(host.id, hosts_.size()).second;
        BASE_CHECK(first);  // the configuration refuses a host given twice
        hosts_.push_back(std::move(host));
        seen_.push_back(std::make_unique<SeenReports>());
        series_.push_back(std::make_unique<SeriesLimit>());
    }
    for (const auto& plan : roster.monitors) {
        MonitorState monitor;
        monitor.id = wire::contract::host_id(plan.site, plan.name);
        monitor.site = plan.site;
        monitor.name = plan.name;
        monitors_.push_back(std::move(monitor));
        seen_batches_.push_back(std::make_unique<SeenReports>());
    }
}

Fleet::~Fleet() = default;

const Host* Fleet::find_host(std::string_view id) const {
    const auto at = host_index_.find(std::string(id));
    return at == host_index_.end() ? nullptr : &hosts_[at->second];
}

Taken Fleet::take_report(const Identity& sender, Report report, const Moment& moment) {
    if (sender.role != "agent" || sender.site != report.site || sender.name != report.name) {
        ++counters_.refused;
        return Taken::foreign;
    }
    const auto at = host_index_.find(wire::contract::host_id(report.site, report.name));
    if (at == host_index_.end()) {
        ++counters_.refused;
        return Taken::unknown;
    }
    auto& host = hosts_[at->second];
    if (!report.backfill)
        learn_skew(host.skew_ms, skew_of(report.sent_wall_ms, moment.wall_ms, milliseconds(0)));
    return take(at->second, std::move(report), kDirect, moment);
}

Taken Fleet::take(std::size_t index, Report report, const std::string& via, const Moment& moment) {
    auto& host = hosts_[index];
    if (!report.backfill) note_via(host, via, moment.now);
    if (!seen_[index]->add(report.boot_id, report.seq)) {
        ++host.duplicates;
        ++counters_.duplicates;
        return Taken::duplicate;
    }
    const auto age = age_of(report.age_ms);
    const auto measured = moment.now - age;
    trim(report);
    keep_history(index, report, {moment.now, moment.wall_ms - age.count()});
    if (!fresher(host, report, measured)) {
        ++host.backfilled;
        ++counters_.backfilled;
        return Taken::backfill;
    }
    host.received = moment.now;
    host.measured = measured;
    host.interval = interval_of(report.interval_ms);
    host.last = std::make_shared<const Report>(std::move(report));
    ++host.live;
    ++counters_.live;
    if (listeners_.on_live) listeners_.on_live(host);
    return Taken::live;
}

Taken Fleet::take_batch(const Identity& sender, Batch batch, const Moment& moment) {
    const auto foreign = [&](const Report& report) { return report.site != sender.site; };
    if (sender.role != "monitor" || sender.site != batch.site || sender.name != batch.name ||
        std::any_of(batch.reports.begin(), batch.reports.end(), foreign)) {
        ++counters_.refused;
        return Taken::foreign;
    }
    const auto known = std::find_if(monitors_.begin(), monitors_.end(), [&](const auto& monitor) {
        return monitor.site == sender.site && monitor.name == sender.name;
    });
    if (known == monitors_.end()) {
        ++counters_.refused;
        return Taken::unknown;
    }
    auto& monitor = *known;
    learn_skew(monitor.skew_ms, skew_of(batch.sent_wall_ms, moment.wall_ms, milliseconds(0)));
    if (!seen_batches_[static_cast<std::size_t>(known - monitors_.begin())]->add(
            batch.boot_id, batch.seq
        )) {
        ++monitor.duplicates;
        return Taken::duplicate;
    }
    monitor.heard = true;
    monitor.version = batch.version.substr(0, 64);
    monitor.received = moment.now;
    monitor.interval = interval_of(batch.interval_ms);
    ++monitor.batches;
    ++counters_.batches;
    for (auto& report : batch.reports) {
        const auto at = host_index_.find(wire::contract::host_id(report.site, report.name));
        if (at != host_index_.end()) take(at->second, std::move(report), monitor.name, moment);
    }
    take_probes(monitor, batch, moment);
    if (listeners_.on_batch) listeners_.on_batch(monitor);
    return Taken::live;
}

void Fleet::take_probes(const MonitorState& monitor, const Batch& batch, const Moment& moment) {
    std::vector<const ProbeResult*> by_time;
    by_time.reserve(batch.probes.size());
    for (const auto& probe : batch.probes) by_time.push_back(&probe);
    std::stable_sort(by_time.begin(), by_time.end(), [](const auto* a, const auto* b) {
        return a->age_ms > b->age_ms;
    });
    auto& kept = probes_[monitor.id];
    for (const auto* probe : by_time) {
        const auto age = age_of(probe->age_ms);
        ProbeFact fact;
        fact.observer = monitor.id;
        fact.site = monitor.site;
        fact.name = probe->name;
        fact.kind = probe->kind;
        fact.subject = probe->subject;
        fact.view = probe->view;
        fact.ok = probe->ok;
        fact.latency_ms = probe->latency_ms;
        fact.at = moment.now - age;
        fact.wall_ms = moment.wall_ms - age.count();
        fact.interval = monitor.interval;
        fact.detail = probe->detail.substr(0, 256);
        const auto at = kept.find(fact.name);
        if (at != kept.end() && is_repeat(at->second, fact)) continue;
        const bool room = at != kept.end() || kept.size() < kProbesPerMonitor;
        if (!room || !is_wanted(fact)) {
            ++counters_.dropped;
            continue;
        }
        ++counters_.probes;
        if (at == kept.end())
            kept.emplace(fact.name, fact);
        else if (at->second.at <= fact.at)
            at->second = fact;
        if (listeners_.on_probe) listeners_.on_probe(fact);
    }
}

bool Fleet::is_wanted(const ProbeFact& fact) const {
    if (fact.kind != "charging" || !services_) return true;
    return std::any_of(services_->begin(), services_->end(), [&fact](const std::string& service) {
        return fact.subject == "service:" + service;
    });
}

void Fleet::keep_history(std::size_t index, const Report& report, const Moment& measured) {
    if (!listeners_.on_history) return;
    std::vector<store::HistoryPoint> points;
    add_history(points, hosts_[index].id, report, measured.wall_ms);
    for (auto& point : points) {
        if (series_[index]->take(point.metric, measured.now))
            history_.push_back(std::move(point));
        else
            ++counters_.dropped;
    }
    if (history_.size() >= kHistoryBatch) hand_over_history();
}

void Fleet::hand_over_history() {
    if (history_.empty()) return;
    counters_.history_points += history_.size();
    std::vector<store::HistoryPoint> points;
    points.swap(history_);
    listeners_.on_history(std::move(points));
}

void Fleet::tick(const Moment&) {
    if (listeners_.on_history) hand_over_history();
}

}  // namespace twinsite::switchover::fleet
