// SPDX-License-Identifier: Apache-2.0
#include "switchover/run_driver.hpp"

#include <algorithm>
#include <utility>

#include "base/log/log.hpp"
#include "switchover/run_audit.hpp"

namespace twinsite::switchover {
namespace {

using scenario::Event;
using scenario::Run;
using store::Errc;
using store::Result;
namespace log = base::log;

// How long after its end a run waits for users to be well again.
constexpr std::int64_t kMeasureMs = 120'000;
// Or longer, while it is known that they are not; but not for ever.
constexpr std::int64_t kMeasureAtMostMs = 24 * 3'600'000;
constexpr std::int64_t kSilentMs = RtoClock::kSilent.count();
constexpr const char* kNotStored = "the store does not take changes now";

void log_state(const Run& run) {
    log::event(
        log::Level::info,
        "run_state_changed",
        {{"run", run.id},
         {"scenario", run.scenario},
         {"state", scenario::to_string(run.state)},
         {"output", run.output}}
    );
}

}  // namespace

RunDriver::RunDriver(store::Store& store, lead::Leader& leader, RtoClock& clock, Seams seams)
    : store_(store), leader_(leader), clock_(clock), seams_(std::move(seams)) {}

Result<void> RunDriver::adopt() {
    const auto records = lead::adopt_runs(store_, leader_);
    if (!records) return records.error();
    for (const auto& record : *records) adopt_one(record);
    return {};
}

void RunDriver::adopt_one(const store::RunRecord& record) {
    auto run = scenario::decode_run(record.body);
    if (!run) {
        Run empty;
        empty.id = record.id;
        give_up(record, std::move(empty), "its record cannot be read");
        return;
    }
    const auto source = store::load_source(store_, run->hash);
    auto entry = source && *source ? seams_.parse(**source) : nullptr;
    if (!entry || !scenario::fits(entry->scenario, *run)) {
        give_up(record, std::move(*run), "its scenario does not fit the configuration any more");
        return;
    }
    const auto now = seams_.clock();
    auto& driven = runs_.emplace_back();
    driven.run = std::move(*run);
    driven.entry = std::move(entry);
    driven.changed = record.changed;
    const auto& fired = driven.run.marks[1];
    driven.measure_since =
        fired ? *fired - lookback_ms_ : driven.run.started_wall.value_or(now.wall);
    if (driven.run.marks[0] && !driven.run.marks[5])
        clock_.resume(*driven.run.marks[0], now.wall + kMeasureMs);
    log::event(
        log::Level::warning,
        "run_adopted",
        {{"run", driven.run.id}, {"scenario", driven.run.scenario}}
    );
    driven.taken_up = false;
}

void RunDriver::take_up() {
    for (auto& driven : runs_) {
        if (driven.taken_up) continue;
        driven.taken_up = true;
        driven.waiting.push_back(Event::of(Event::Kind::restored));
        work_off(driven);
    }
}

void RunDriver::give_up(const store::RunRecord& record, Run run, const std::string& why) {
    log::event(log::Level::error, "run_given_up", {{"run", record.id}, {"why", why}});
    run.state = scenario::RunState::failed;
    run.output = why;
    run.ended_wall = seams_.clock().wall;
    store::Transaction transaction;
    store::save_run(transaction, {record.id, false, scenario::encode_run(run), record.changed});
    transaction.audit.push_back({"switchover", "", "run.failed", record.id, "failed", why});
    if (run.mode == "auto" && !run.scenario.empty())
        store::save_last_end(transaction, run.scenario, seams_.clock().wall);
    // Not stored: it stands there as active, and the next start comes here again.
    static_cast<void>(leader_.commit(transaction));
    DrivenRun driven;
    driven.run = std::move(run);
    driven.entry = std::make_shared<const BookEntry>();
    seams_.changed(driven);
    seams_.ended(driven);
}

Result<Run> RunDriver::begin(const Start& start) {
    if (!leader_.leads()) return Errc::not_leader;
    const auto last = store::last_run_number(store_);
    if (!last) return last.error();
    const auto now = seams_.clock();
    auto request = start.request;
    request.id = store::run_id(leader_.fence().generation, *last + 1);
    request.hash = start.entry->hash;
    auto draft = scenario::make_run(start.entry->scenario, request);
    draft.fence_generation = leader_.fence().generation;
    draft.fence_revision = leader_.fence().revision;
    draft.marks[1] = start.fired_wall;
    if (!start.entry->scenario.approval_wait || request.mode != "auto") draft.marks[2] = now.wall;
    if (request.mode != "auto" && start.fired_wall)
        draft.human_wait_ms = std::max<std::int64_t>(0, now.wall - *start.fired_wall);
    DrivenRun driven;
    driven.entry = start.entry;
    driven.measure_since = start.fired_wall ? *start.fired_wall - lookback_ms_ : now.wall;
    driven.measure_since = std::max(driven.measure_since, last_over_ + 1);
    const auto stop = stop_of(driven, draft, now.wall);
    if (stop) draft.marks[0] = stop->last_good;
    auto first = Event::of(Event::Kind::start);
    first.hold = seams_.hold(draft);
    auto moved = scenario::step(start.entry->scenario, draft, first, now);

    store::Transaction transaction;
    const store::RunRecord record{
        request.id, !scenario::ended(moved.run.state), scenario::encode_run(moved.run), 0
    };
    store::save_new_run(transaction, record, *last + 1, request.hash, start.entry->source);
    if (start.fired_wall) store::save_answered(transaction, start.entry->scenario.name, request.id);
    if (!start.answer_key.empty())
        store::save_answer(
            transaction, start.answer_key, {request.id, start.answer_digest, now.wall}
        );
    transaction.audit.push_back(
        {request.mode == "auto" ? "auto" : request.by,
         start.from,
         "run.begin",
         request.id,
         "done",
         start.entry->scenario.name + ": " + request.reason}
    );
    for (auto& line : audit_of(draft, moved.run)) transaction.audit.push_back(std::move(line));
    const auto done = leader_.commit(transaction);
    if (!done) return done.error();

    driven.run = std::move(moved.run);
    driven.changed = done->revision;
    auto& kept = runs_.emplace_back(std::move(driven));
    log_state(kept.run);
    seams_.changed(kept);
    auto out = kept.run;
    carry_out(kept, moved.effects);
    return out;
}

std::string RunDriver::order(const std::string& id, const Event& event) {
    auto* driven = find_driven(id);
    if (driven == nullptr) return "no such run is under way";
    if (!driven->taken_up) return "the server has just started; the run is taken up in a moment";
    if (!driven->waiting.empty()) return kNotStored;
    const auto applied = apply(*driven, event);
    return applied.stored ? applied.refused : kNotStored;
}

void RunDriver::take(const std::string& id, Event event) {
    auto* driven = find_driven(id);
    if (driven == nullptr) return;
    driven->waiting.push_back(std::move(event));
    work_off(*driven);
}

void RunDriver::work_off(DrivenRun& driven) {
    while (!driven.waiting.empty()) {
        // A late result that nobody waits for is refused, and that is all right.
        const auto event = driven.waiting.front();
        if (!apply(driven, event).stored) return;
        driven.waiting.pop_front();
    }
}

RunDriver::Applied RunDriver::apply(DrivenRun& driven, Event event) {
    event.hold = seams_.hold(driven.run);
    auto moved = scenario::step(driven.entry->scenario, driven.run, event, seams_.clock());
    if (!moved.refused.empty()) return {true, moved.refused};
    if (!moved.changed) return {};
    const auto before = driven.run.state;
    if (const auto saved = save(driven, moved.run, true); !saved) {
        std::uint64_t held_back = 0;
        if (not_stored_.allow(
                std::chrono::steady_clock::time_point(std::chrono::milliseconds(seams_.clock().mono)
                ),
                held_back
            ))
            log::event(
                log::Level::error,
                "run_not_stored",
                {{"run", driven.run.id},
                 {"error", saved.error().message()},
                 {"held_back", held_back}}
            );
        return {false, {}};
    }
    if (driven.run.state != before) log_state(driven.run);
    seams_.changed(driven);
    carry_out(driven, moved.effects);
    if (scenario::ended(driven.run.state) && !driven.measure_end) {
        driven.measure_end = seams_.clock().wall + kMeasureMs;
        seams_.ended(driven);
    }
    return {};
}

Result<void> RunDriver::save(DrivenRun& driven, const Run& next, bool audited) {
    store::Transaction transaction;
    store::save_run(
        transaction,
        {next.id, !scenario::ended(next.state), scenario::encode_run(next), driven.changed}
    );
    if (audited) transaction.audit = audit_of(driven.run, next);
    const bool ends = scenario::ended(next.state) && !scenario::ended(driven.run.state);
    if (ends && next.mode == "auto")
        store::save_last_end(transaction, next.scenario, seams_.clock().wall);
    const auto done = leader_.commit(transaction);
    if (!done) return done.error();
    driven.run = next;
    driven.changed = done->revision;
    return {};
}

void RunDriver::carry_out(DrivenRun& driven, const std::vector<scenario::Effect>& effects) {
    for (const auto& effect : effects)
        seams_.carry_out(effect, [this, id = driven.run.id](Event event) {
            take(id, std::move(event));
        });
}

void RunDriver::tick() {
    const auto now = seams_.clock();
    for (auto& driven : runs_) {
        if (!driven.taken_up) continue;
        work_off(driven);
        if (!driven.waiting.empty()) continue;
        const auto wake = scenario::next_wake(driven.run);
        if (wake && *wake <= now.mono) {
            driven.waiting.push_back(Event::of(Event::Kind::tick));
            work_off(driven);
        }
        if (driven.waiting.empty()) measure(driven);
    }
    std::erase_if(runs_, [&](const DrivenRun& driven) {
        return driven.measure_end && *driven.measure_end <= now.wall && driven.waiting.empty();
    });
}

std::optional<RtoClock::Stop> RunDriver::stop_of(
    const DrivenRun& driven, const Run& run, std::int64_t wall_now
) const {
    if (run.marks[1]) return clock_.stops_since(driven.measure_since, wall_now, run.marks[1]);
    // It answers nothing: only what began under it can be its doing.
    return clock_.stops_begun_since(driven.measure_since, wall_now);
}

void RunDriver::measure(DrivenRun& driven) {
    const auto now = seams_.clock();
    const auto stop = stop_of(driven, driven.run, now.wall);
    if (!stop) {
        // Nobody was without service: there is nothing to wait for.
        if (driven.measure_end && !driven.run.marks[0]) driven.measure_end = now.wall;
        return;
    }
    auto next = driven.run;
    if (stop->last_good)
        next.marks[0] = std::min(next.marks[0].value_or(*stop->last_good), *stop->last_good);
    next.marks[5] = stop->over;
    if (stop->over) last_over_ = *stop->over;
    next.health_alone = stop->over && (!next.marks[3] || *stop->over < *next.marks[3]);
    if (driven.measure_end && stop->over) driven.measure_end = now.wall;
    // Users are still without service: also after a run that failed, this has an end to wait for.
    const auto latest = driven.run.ended_wall.value_or(now.wall) + kMeasureAtMostMs;
    if (driven.measure_end && !stop->over)
        driven.measure_end = std::min(std::max(*driven.measure_end, now.wall + kSilentMs), latest);
    if (next == driven.run) return;
    marks_failed_ = !save(driven, next, false);
    if (!marks_failed_) seams_.changed(driven);
}

std::optional<std::int64_t> RunDriver::next_wake() const {
    std::optional<std::int64_t> out;
    for (const auto& driven : runs_)
        if (const auto wake = scenario::next_wake(driven.run); wake && driven.taken_up)
            out = std::min(out.value_or(*wake), *wake);
    return out;
}

bool RunDriver::storing_fails() const {
    return marks_failed_ || std::any_of(runs_.begin(), runs_.end(), [](const DrivenRun& driven) {
               return !driven.waiting.empty();
           });
}

const DrivenRun* RunDriver::find(const std::string& id) const {
    for (const auto& driven : runs_)
        if (driven.run.id == id) return &driven;
    return nullptr;
}

DrivenRun* RunDriver::find_driven(const std::string& id) {
    for (auto& driven : runs_)
        if (driven.run.id == id) return &driven;
    return nullptr;
}

}  // namespace twinsite::switchover
