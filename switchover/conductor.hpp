// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log/log.hpp"
#include "switchover/api/backend.hpp"
#include "switchover/assessor.hpp"
#include "switchover/book.hpp"
#include "switchover/execute/member.hpp"
#include "switchover/fleet/host.hpp"
#include "switchover/judge/judge.hpp"
#include "switchover/lead/leader.hpp"
#include "switchover/rto_clock.hpp"
#include "switchover/run_driver.hpp"

namespace twinsite::switchover {

/// The loop of the server: what is heard goes to the judge, its verdicts to the scenarios, and the
/// scenarios' runs to the executor; everything through the store. Here are the modes, the pause and
/// the wanted states. Knows no socket and no clock of its own. One thread.
class Conductor {
public:
    struct Seams {
        std::function<std::int64_t()> wall_ms;
        std::function<model::Time()> now;
        std::function<void(const scenario::Effect&, std::function<void(scenario::Event)>)>
            carry_out;
        /// We do not lead any more.
        std::function<void()> drop_effects;
        /// A run was stored, or the marks of one.
        std::function<void(const DrivenRun&)> run_changed;
    };

    Conductor(
        const Config& config, Book book, store::Store& store, lead::Leader& leader, Seams seams
    );

    /// Reads what is in the store and, when we lead, finds unfinished runs. Again when the
    /// leadership could be taken only later.
    store::Result<void> start();
    /// A reloaded configuration: other scenarios. Runs under way keep theirs.
    void use_book(Book book);

    // What is heard.
    void hear(const fleet::Host& host);
    void hear(const fleet::ProbeFact& probe);
    void hear(const fleet::MonitorState& monitor);
    void hear(const execute::MemberView& member);
    /// A member knows a higher fence than ours.
    void outranked(const std::string& member, const wire::contract::Fence& highest);

    /// Each `judge.tick`: judges, starts what is due, drives runs.
    void tick();
    /// Between ticks, when `next_wake` of the runs is due.
    void drive() { runs_.tick(); }

    // For the executor.
    std::optional<std::string> fact(const scenario::Expression& asked) const;
    store::Result<std::vector<store::WantedState>> wanted() const { return wanted_; }
    store::Result<void> want(const store::WantedState& wanted);

    // What people ask for.
    api::Outcome<api::Done> set_mode(
        const api::Actor& actor,
        const std::string& scenario,
        const std::string& mode,
        const std::string& reason
    );
    api::Outcome<api::Done> pause(
        const api::Actor& actor,
        const std::string& reason,
        std::optional<std::int64_t> until_wall_ms
    );
    api::Outcome<api::Done> unpause(const api::Actor& actor);
    api::Outcome<scenario::Run> start_run(const api::Actor& actor, const api::RunRequest& request);
    api::Outcome<scenario::Run> order_run(const api::Actor& actor, const api::RunOrder& order);

    // What is shown.
    const Config& config() const { return config_; }
    const Book& book() const { return book_; }
    const judge::Judge& judge() const { return judge_; }
    const Assessor& assessor() const { return assessor_; }
    const RunDriver& runs() const { return runs_; }
    const std::optional<store::Pause>& paused() const { return pause_; }
    const std::vector<store::WantedState>& wanted_states() const { return wanted_; }
    const std::map<std::string, store::ModeSetting>& modes() const { return modes_; }
    struct Outranked {
        std::string member;
        wire::contract::Fence highest;
    };
    const std::optional<Outranked>& outranked() const { return outranked_; }
    store::Store& store() const { return store_; }
    lead::Leader& leader() const { return leader_; }
    std::int64_t wall_ms() const { return seams_.wall_ms(); }
    model::Time now() const { return seams_.now(); }
    /// Grows with each change that is worth showing.
    std::uint64_t revision() const { return revision_; }
    /// Runs begun and ended since the start, by result, for metrics.
    struct Counters {
        std::uint64_t begun = 0;
        std::uint64_t succeeded = 0;
        std::uint64_t failed = 0;
    };
    const Counters& counters() const { return counters_; }
    struct FailedRun {
        std::string id;
        std::string output;
        std::int64_t wall_ms = 0;
    };
    /// The last run of a scenario, by its name, where it failed lately.
    const std::map<std::string, FailedRun>& failed_runs() const { return failed_runs_; }

private:
    /// Why a run may begin no step now: the rule, and in words; empty: it may.
    struct Hold {
        std::string rule;
        std::string text;
    };
    Hold hold(const scenario::Run& run) const;
    model::Time ago(std::int64_t wall_ms) const;
    void set_pause(std::optional<store::Pause> pause);
    scenario::Moment moment() const;
    RunDriver::Seams driver_seams();
    Situation situation() const;
    void log_changes();
    void forget_answered();
    void start_due();
    bool end_those_in_the_way(const scenario::Scenario& scenario);
    void end_pause_when_due();
    void take_up_when_heard();
    void check_leadership();
    void run_ended(const DrivenRun& driven);
    std::optional<api::Refusal> refuse_start(
        const Assessment& assessment, const BookEntry& entry, const api::RunRequest& request
    ) const;
    api::Outcome<scenario::Run> repeat(const store::Answer& answer, const api::RunRequest& request);

    // fixed after construction
    const Config config_;
    store::Store& store_;
    lead::Leader& leader_;
    const Seams seams_;
    const model::Time started_;
    // owned by the loop
    Book book_;
    judge::Judge judge_;
    Assessor assessor_;
    RtoClock rto_clock_;
    RunDriver runs_;
    std::map<std::string, store::ModeSetting> modes_;
    std::optional<store::Pause> pause_;
    std::vector<store::WantedState> wanted_;
    std::map<std::string, model::Time> last_ends_;
    std::optional<model::Time> pause_end_;  ///< Of a pause that ends by itself.
    std::optional<Outranked> outranked_;
    std::vector<judge::ProcessReading> process_readings_;
    model::Time next_leader_check_{};
    bool taken_up_ = false;
    bool led_ = false;  ///< At the last look.
    std::uint64_t revision_ = 1;
    Counters counters_;
    std::map<std::string, FailedRun> failed_runs_;
    base::log::Throttle not_begun_{std::chrono::seconds(10)};
};

}  // namespace twinsite::switchover
