// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log/log.hpp"
#include "switchover/book.hpp"
#include "switchover/lead/leader.hpp"
#include "switchover/rto_clock.hpp"
#include "switchover/scenario/machine.hpp"
#include "switchover/store/intent.hpp"

namespace twinsite::switchover {

/// A run that is driven, or has ended and is still measured.
struct DrivenRun {
    scenario::Run run;
    std::shared_ptr<const BookEntry> entry;
    std::uint64_t changed = 0;                ///< Revision of the last save.
    std::deque<scenario::Event> waiting;      ///< Events that could not be stored yet.
    std::int64_t measure_since = 0;           ///< Wall ms: stops that end, or begin, later count.
    std::optional<std::int64_t> measure_end;  ///< Wall ms, once it has ended.
    bool taken_up = true;                     ///< False: found at the start, not driven yet.
};

/// Drives runs: for each event a step of the machine, then the store, then the effects. Nothing is
/// sent before it is on the disk, and an event that cannot be stored waits. One thread.
class RunDriver {
public:
    struct Seams {
        std::function<scenario::Moment()> clock;
        /// Begins an effect; reports come later, never from inside.
        std::function<void(const scenario::Effect&, std::function<void(scenario::Event)>)>
            carry_out;
        /// A stored run with the text of its scenario; nullptr: it does not fit any more.
        std::function<std::shared_ptr<const BookEntry>(const std::string& source)> parse;
        /// Why this run may begin no step now; empty: it may.
        std::function<std::string(const scenario::Run&)> hold;
        /// A run was stored.
        std::function<void(const DrivenRun&)> changed;
        /// A run has ended (stored already).
        std::function<void(const DrivenRun&)> ended;
    };
    struct Start {
        std::shared_ptr<const BookEntry> entry;
        scenario::RunRequest request;            ///< `id` and `hash` are filled here.
        std::optional<std::int64_t> fired_wall;  ///< Set: it answers its trigger.
        std::string answer_key;                  ///< Of an Idempotency-Key; empty: none.
        std::string answer_digest;
        std::string from;  ///< Address, for the audit.
    };

    RunDriver(store::Store& store, lead::Leader& leader, RtoClock& clock, Seams seams);

    /// How far before a run's trigger a stop of the users may have ended to belong to it.
    void set_lookback(std::chrono::milliseconds lookback) { lookback_ms_ = lookback.count(); }

    /// Finds what an earlier process left unfinished. It is shown, but stands still until
    /// `take_up`: its checks need a judge that has heard something.
    store::Result<void> adopt();
    void take_up();
    /// The run as it was stored first.
    store::Result<scenario::Run> begin(const Start& start);
    /// For orders of people. Empty: taken; else why not.
    std::string order(const std::string& id, const scenario::Event& event);
    /// Time has passed: due ticks, events that wait, marks.
    void tick();
    /// Mono ms at which a run wants a tick.
    std::optional<std::int64_t> next_wake() const;

    const std::list<DrivenRun>& runs() const { return runs_; }
    const DrivenRun* find(const std::string& id) const;
    /// The store takes no changes of runs now; what waits for it is tried again with each tick.
    bool storing_fails() const;

private:
    void take(const std::string& id, scenario::Event event);
    struct Applied {
        bool stored = true;   ///< Else nothing has happened, and it may be tried again.
        std::string refused;  ///< By the machine.
    };
    Applied apply(DrivenRun& driven, scenario::Event event);
    store::Result<void> save(DrivenRun& driven, const scenario::Run& next, bool audited);
    void carry_out(DrivenRun& driven, const std::vector<scenario::Effect>& effects);
    void work_off(DrivenRun& driven);
    std::optional<RtoClock::Stop> stop_of(
        const DrivenRun& driven, const scenario::Run& run, std::int64_t wall_now
    ) const;
    void measure(DrivenRun& driven);
    void adopt_one(const store::RunRecord& record);
    void give_up(const store::RunRecord& record, scenario::Run run, const std::string& why);
    DrivenRun* find_driven(const std::string& id);

    store::Store& store_;
    lead::Leader& leader_;
    RtoClock& clock_;
    const Seams seams_;
    std::int64_t lookback_ms_ = 120'000;
    std::list<DrivenRun> runs_;
    bool marks_failed_ = false;
    /// End of the last stop that was put down to a run: it does not belong to the next one.
    std::int64_t last_over_ = 0;
    base::log::Throttle not_stored_{std::chrono::seconds(10)};
};

}  // namespace twinsite::switchover
