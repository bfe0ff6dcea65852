// SPDX-License-Identifier: Apache-2.0
#include "switchover/conductor.hpp"

#include <algorithm>
#include <utility>

#include "base/log/log.hpp"
#include "switchover/judge/take_report.hpp"

namespace twinsite::switchover {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
namespace log = base::log;

constexpr std::chrono::seconds kLeaderCheck{5};
// After this an unfinished run is taken up whatever the judge has heard: it must not hang.
constexpr std::chrono::seconds kTakeUpAtLast{15};
// A stop of the users that ended so long before the evidence can have begun still belongs to it:
// health may have moved them away before anything was judged.
constexpr std::chrono::seconds kLookbackMore{10};
// A failed run is an alarm for so long, unless its scenario runs again.
constexpr std::int64_t kFailedShownMs = 3'600'000;
// No time that is read from the store counts for longer.
constexpr std::int64_t kLongestMs = std::int64_t{366} * 24 * 3'600'000;

std::string_view kind_word(judge::EntityKind kind) {
    return judge::to_string(kind);
}

model::Duration settles_after(const judge::Rules& rules) {
    return std::max({rules.process_for, rules.host_for, rules.member_for}) + rules.tick;
}

bool only_already_so(const Assessment& assessment) {
    if (!assessment.firing || assessment.effective != scenario::Mode::automatic) return false;
    const auto against = Assessor::against_auto(assessment);
    return std::all_of(against.begin(), against.end(), [](const model::Gate* gate) {
        return gate->code == model::gate::kAlreadySo;
    });
}

}  // namespace

Conductor::Conductor(
    const Config& config, Book book, store::Store& store, lead::Leader& leader, Seams seams
)
    : config_(config),
      store_(store),
      leader_(leader),
      seams_(std::move(seams)),
      started_(seams_.now()),
      book_(std::move(book)),
      judge_(config.plan, config.rules, started_),
      assessor_(judge_, settles_after(config.rules)),
      rto_clock_(config.rules.business_hold),
      runs_(store, leader, rto_clock_, driver_seams()) {
    runs_.set_lookback(
        config.rules.site_down_for +
        config.scenarios.report_interval * config.rules.stale_intervals + kLookbackMore
    );
}

RunDriver::Seams Conductor::driver_seams() {
    return {
        .clock = [this] { return moment(); },
        .carry_out = seams_.carry_out,
        .parse = [this](const std::string& source
                 ) { return parse_entry(config_, source, "store"); },
        .hold = [this](const scenario::Run& run) { return hold(run).text; },
        .changed =
            [this](const DrivenRun& driven) {
                ++revision_;
                seams_.run_changed(driven);
            },
        .ended = [this](const DrivenRun& driven) { run_ended(driven); },
    };
}

Conductor::Hold Conductor::hold(const scenario::Run& run) const {
    const auto overridden = [&](std::string_view rule) {
        return std::any_of(run.overrides.begin(), run.overrides.end(), [&](const auto& each) {
            return each.rule == rule;
        });
    };
    if (pause_ && !overridden(model::gate::kPause))
        return {
            std::string(model::gate::kPause),
            "automation is paused by " + pause_->by + ": " + pause_->reason
        };
    if (run.mode != "auto") return {};
    const std::string rule(model::gate::kBlind);
    const auto& blind = judge_.verdicts().blind;
    if (blind.starting) return {rule, "the judge has not heard anybody yet"};
    if (blind.is) return {rule, "the judge is blind: " + blind.why};
    const auto entry = book_.find(run.scenario);
    if (entry == book_.end() || entry->second->scenario.site.empty()) return {};
    for (const auto& brake : judge_.brakes(entry->second->scenario.site))
        if (brake.code == rule && !brake.ok) return {rule, "the judge is blind: " + brake.have};
    return {};
}

/// Wall times are turned into ours once, when they are read: steps of the clock while we run change
/// nothing. What lies in the future is taken for now.
model::Time Conductor::ago(std::int64_t wall_ms) const {
    const auto age = std::clamp<std::int64_t>(seams_.wall_ms() - wall_ms, 0, kLongestMs);
    return seams_.now() - milliseconds(age);
}

void Conductor::set_pause(std::optional<store::Pause> pause) {
    pause_ = std::move(pause);
    pause_end_.reset();
    if (pause_ && pause_->until_wall_ms)
        pause_end_ = ago(pause_->since_wall_ms) +
                     milliseconds(std::clamp<std::int64_t>(
                         *pause_->until_wall_ms - pause_->since_wall_ms, 0, kLongestMs
                     ));
}

scenario::Moment Conductor::moment() const {
    return {duration_cast<milliseconds>(seams_.now().time_since_epoch()).count(), seams_.wall_ms()};
}

store::Result<void> Conductor::start() {
    auto modes = store::modes(store_);
    if (!modes) return modes.error();
    modes_ = std::move(*modes);
    auto pause = store::find_pause(store_);
    if (!pause) return pause.error();
    set_pause(std::move(*pause));
    auto wanted = store::wanted_states(store_);
    if (!wanted) return wanted.error();
    wanted_ = std::move(*wanted);
    auto ends = store::last_ends(store_);
    if (!ends) return ends.error();
    for (const auto& [scenario, wall_ms] : *ends) last_ends_[scenario] = ago(wall_ms);
    const auto answered = store::answered_triggers(store_);
    if (!answered) return answered.error();
    for (const auto& [scenario, run] : *answered) assessor_.answered(scenario, run);
    led_ = leader_.leads();
    if (!led_) return {};
    taken_up_ = false;
    return runs_.adopt();
}

void Conductor::use_book(Book book) {
    book_ = std::move(book);
    ++revision_;
}

// ---- what is heard

void Conductor::hear(const fleet::Host& host) {
    const auto index = judge_.find_host(host.id);
    if (!index || !host.last) return;
    judge_.observe_report(*index, judge::take_report(*host.last, host.measured, process_readings_));
}

void Conductor::hear(const fleet::ProbeFact& probe) {
    judge::ProbeReading reading;
    reading.observer = probe.observer;
    reading.name = probe.name;
    reading.subject = probe.subject;
    reading.view = probe.view;
    reading.ok = probe.ok;
    reading.measured = probe.at;
    reading.interval = probe.interval;
    judge_.observe_probe(reading);
    if (probe.kind == "charging")
        rto_clock_.observe(
            probe.subject + "/" + probe.view + " by " + probe.observer + " " + probe.name,
            probe.ok,
            probe.wall_ms
        );
}

void Conductor::hear(const fleet::MonitorState& monitor) {
    const auto index = judge_.find_member(monitor.name);
    if (!index) return;
    judge::MemberReading reading;
    reading.reachable = true;
    reading.in_sync = judge::Truth::yes;
    reading.ready = judge::Truth::yes;
    reading.at = monitor.received;
    reading.interval = monitor.interval;
    judge_.observe_member(*index, reading);
}

void Conductor::hear(const execute::MemberView& view) {
    const auto index = judge_.find_member(view.member.name);
    if (!index || !view.asked) return;
    judge::MemberReading reading;
    reading.reachable = view.reachable;
    reading.at = *view.asked;
    const bool slb = view.member.kind == execute::MemberKind::slb;
    if (view.reachable) {
        reading.in_sync = judge::truth_of(view.in_sync);
        // A gslb that answers its control API answers DNS; an slb says itself whether it can serve.
        reading.ready = slb ? judge::truth_of(view.ready) : judge::Truth::yes;
    }
    judge_.observe_member(*index, reading);
    if (slb || !view.reachable) return;
    // A gslb's own health view is an outside observer of the sites: up when a service is.
    std::map<std::string, bool> up;
    for (const auto& site : view.sites)
        if (site.health != "unknown") up[site.site] |= site.health == "up";
    for (const auto& [site, is_up] : up) {
        const auto subject = "site:" + site;
        judge_.observe_probe(
            {view.member.name, "health", subject, "", is_up, *view.asked, reading.interval}
        );
    }
}

void Conductor::outranked(const std::string& member, const wire::contract::Fence& highest) {
    if (!outranked_)
        log::event(
            log::Level::error,
            "outranked",
            {{"member", member}, {"highest", wire::contract::to_string(highest)}}
        );
    outranked_ = Outranked{member, highest};
    ++revision_;
}

std::optional<std::string> Conductor::fact(const scenario::Expression& asked) const {
    const auto fact = judge_.fact(asked.name, asked.arguments);
    if (!fact || fact->truth == judge::Truth::unknown) return std::nullopt;
    return fact->text;
}

store::Result<void> Conductor::want(const store::WantedState& wanted) {
    const auto same = [&](const store::WantedState& each) {
        return each.receiver == wanted.receiver && each.object == wanted.object;
    };
    const auto found = std::find_if(wanted_.begin(), wanted_.end(), same);
    const bool free = wanted.state == "in" || wanted.state == "active";
    const bool there = found != wanted_.end();
    // Asked again after a restart: nothing to write.
    if (free ? !there : there && found->state == wanted.state && found->by == wanted.by) return {};
    store::Transaction transaction;
    if (free)
        store::remove_wanted(transaction, wanted.receiver, wanted.object);
    else
        store::save_wanted(transaction, wanted);
    transaction.audit.push_back(
        {wanted.by,
         "",
         "wanted." + wanted.state,
         wanted.receiver + " " + wanted.object,
         "done",
         wanted.reason}
    );
    if (const auto done = leader_.commit(transaction); !done) return done.error();
    if (there) wanted_.erase(found);
    if (!free) wanted_.push_back(wanted);
    // What was seen of the site before it came back does not count.
    if (free && wanted.object.starts_with("site:")) judge_.acted(wanted.object, seams_.now());
    ++revision_;
    return {};
}

// ---- the loop

void Conductor::tick() {
    check_leadership();
    judge_.evaluate(seams_.now());
    log_changes();
    end_pause_when_due();
    std::erase_if(failed_runs_, [now = seams_.wall_ms()](const auto& item) {
        return now - item.second.wall_ms > kFailedShownMs;
    });
    take_up_when_heard();
    assessor_.look(book_, situation());
    forget_answered();
    start_due();
    runs_.tick();
}

void Conductor::forget_answered() {
    const auto scenarios = assessor_.take_rearmed();
    if (scenarios.empty()) return;
    store::Transaction transaction;
    for (const auto& scenario : scenarios)
        store::save_answered(transaction, scenario, std::nullopt);
    // Not stored: after a restart it counts as answered until it is over once more. No harm.
    static_cast<void>(leader_.commit(transaction));
}

void Conductor::log_changes() {
    const auto& verdicts = judge_.verdicts();
    const auto& plan = config_.plan;
    for (const auto& change : verdicts.changes) {
        ++revision_;
        std::string name;
        switch (change.kind) {
            case judge::EntityKind::site:
                name = plan.sites[change.index].name;
                break;
            case judge::EntityKind::host:
                name = plan.agents[change.index].id();
                break;
            case judge::EntityKind::process: {
                const auto& process = verdicts.processes[change.index];
                name = plan.agents[process.host].id() + ":" + process.name;
                break;
            }
            case judge::EntityKind::member:
                name = verdicts.members[change.index].name;
                break;
            case judge::EntityKind::service:
                name = plan.services[change.index].name;
                break;
        }
        const std::vector<log::Field> fields{
            {"kind", kind_word(change.kind)},
            {"name", name},
            {"from", judge::to_string(change.from)},
            {"to", judge::to_string(change.to)}
        };
        if (change.to == judge::State::failed)
            log::event(log::Level::warning, "entity_state_changed", fields);
        else
            log::event(log::Level::info, "entity_state_changed", fields);
    }
}

Situation Conductor::situation() const {
    Situation out;
    out.now = seams_.now();
    out.wall_ms = seams_.wall_ms();
    // Who is refused by members as an old server starts nothing.
    out.leads = leader_.leads() && !outranked_;
    out.pause = pause_;
    out.modes = modes_;
    out.wanted = wanted_;
    out.last_ends = last_ends_;
    for (const auto& driven : runs_.runs()) {
        if (scenario::ended(driven.run.state)) continue;
        const auto& scenario = driven.entry->scenario;
        out.active.push_back(
            {driven.run.id, driven.run.scenario, scenario.locks, scenario.site, scenario.kind}
        );
    }
    return out;
}

bool Conductor::end_those_in_the_way(const scenario::Scenario& scenario) {
    std::vector<std::string> ids;
    for (const auto& driven : runs_.runs()) {
        const auto& other = driven.entry->scenario;
        if (!scenario::ended(driven.run.state) && gives_way(scenario, other.kind, other.site))
            ids.push_back(driven.run.id);
    }
    auto abort = scenario::Event::of(scenario::Event::Kind::abort);
    abort.who = "switchover";
    abort.reason = "site " + scenario.site + " is down: " + scenario.name + " has fired";
    return std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
        return runs_.order(id, abort).empty();
    });
}

void Conductor::start_due() {
    for (const auto& [name, assessment] : assessor_.all()) {
        const bool starts = assessment.verdict == VerdictWord::would_start;
        // Out already, and a fail-back is about to change that.
        const bool stays = only_already_so(assessment);
        if (!starts && !stays) continue;
        if (!end_those_in_the_way(book_.at(name)->scenario)) return;  // again with the next tick
        if (!starts) continue;
        RunDriver::Start start;
        start.entry = book_.at(name);
        start.request.mode = "auto";
        start.request.by = "auto";
        start.request.reason = "the trigger fired";
        start.fired_wall = assessment.firing_wall_ms;
        const auto begun = runs_.begin(start);
        if (!begun) {
            std::uint64_t held_back = 0;
            if (not_begun_.allow(seams_.now(), held_back))
                log::event(
                    log::Level::error,
                    "run_not_begun",
                    {{"scenario", name},
                     {"error", begun.error().message()},
                     {"held_back", held_back}}
                );
            return;
        }
        failed_runs_.erase(name);
        ++counters_.begun;
        assessor_.answered(name, begun->id);
        // Its locks count for the others, so these are looked at again first.
        return;
    }
}

void Conductor::run_ended(const DrivenRun& driven) {
    const auto& run = driven.run;
    const bool good = run.state == scenario::RunState::succeeded ||
                      run.state == scenario::RunState::succeeded_warn;
    ++(good ? counters_.succeeded : counters_.failed);
    failed_runs_.erase(run.scenario);
    if (run.state == scenario::RunState::failed || run.state == scenario::RunState::timed_out)
        failed_runs_[run.scenario] = {run.id, run.output, seams_.wall_ms()};
    if (run.mode == "auto") last_ends_[run.scenario] = seams_.now();
    ++revision_;
}

void Conductor::end_pause_when_due() {
    if (!pause_end_ || *pause_end_ > seams_.now()) return;
    store::Transaction transaction;
    store::save_pause(transaction, std::nullopt);
    transaction.audit.push_back(
        {"switchover", "", "pause.end", "", "done", "its time is over; set by " + pause_->by}
    );
    if (!leader_.commit(transaction)) return;  // again with the next tick
    set_pause(std::nullopt);
    ++revision_;
}

void Conductor::take_up_when_heard() {
    if (taken_up_) return;
    const auto& blind = judge_.verdicts().blind;
    // It is not blind yet, it only has not heard anybody: that ends soon.
    if (blind.starting || (blind.is && seams_.now() - started_ < kTakeUpAtLast)) return;
    taken_up_ = true;
    runs_.take_up();
}

void Conductor::check_leadership() {
    if (seams_.now() >= next_leader_check_) {
        next_leader_check_ = seams_.now() + kLeaderCheck;
        leader_.check();
    }
    // It may also have been a commit that found it lost, since the last look.
    const bool lost = led_ && !leader_.leads();
    led_ = leader_.leads();
    if (!lost) return;
    seams_.drop_effects();
    ++revision_;
}

}  // namespace twinsite::switchover
