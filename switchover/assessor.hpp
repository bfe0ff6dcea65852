// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "switchover/book.hpp"
#include "switchover/judge/judge.hpp"
#include "switchover/model/gate.hpp"
#include "switchover/scenario/machine.hpp"
#include "switchover/store/intent.hpp"

namespace twinsite::switchover {

/// What is going on around the scenarios, at one moment.
struct Situation {
    model::Time now{};
    std::int64_t wall_ms = 0;
    bool leads = false;
    std::optional<store::Pause> pause;
    std::map<std::string, store::ModeSetting> modes;  ///< By scenario, where an operator set one.
    std::vector<store::WantedState> wanted;
    std::map<std::string, model::Time> last_ends;  ///< Of automatic runs, by scenario.
    struct ActiveRun {
        std::string id;
        std::string scenario;
        std::vector<std::string> locks;
        std::string site;  ///< Empty: it moves none.
        scenario::Kind kind = scenario::Kind::other;
    };
    std::vector<ActiveRun> active;
};

enum class VerdictWord : std::uint8_t { idle, waiting, held, offered, would_start, running };
/// "idle", "waiting", "held", "offered", "would_start", "running".
const char* to_string(VerdictWord word);

/// Why a scenario runs or does not: what the API shows, and what is acted upon.
struct Assessment {
    scenario::Mode mode = scenario::Mode::off;       ///< Set by an operator, else by its file.
    scenario::Mode effective = scenario::Mode::off;  ///< `auto` only where it may be.
    bool firing = false;
    model::Time firing_since{};
    std::int64_t firing_wall_ms = 0;
    VerdictWord verdict = VerdictWord::idle;
    std::vector<model::Gate> gates;  ///< Those around it; `blocks` tells for whom they count.
    std::vector<model::Gate> trigger;
    std::vector<model::Gate> require;
};

/// Looks at every scenario: does its trigger hold, for how long, and what stands in the way. Pure:
/// told the situation and the time. One thread.
class Assessor {
public:
    /// `settles_after`: what is bad is judged so after this at the latest. Until then, as after a
    /// restart, a condition that does not hold may only not hold yet.
    Assessor(const judge::Judge& judge, model::Duration settles_after)
        : judge_(judge), settles_after_(settles_after) {}

    /// After each evaluation of the judge.
    void look(const Book& book, const Situation& situation);
    /// A run was started by this scenario's trigger: the same incident starts no second one. It is
    /// over when all of the trigger's conditions are known and they do not hold any more, while the
    /// judge sees, and the scenario's site, if it has one, is OK.
    void answered(const std::string& scenario, const std::string& run);
    /// Scenarios whose incident was over at the last look, since the last call.
    std::vector<std::string> take_rearmed() { return std::exchange(rearmed_, {}); }
    /// nullptr: no such scenario.
    const Assessment* find(const std::string& scenario) const;
    const std::map<std::string, Assessment>& all() const { return assessments_; }

    /// Gates that stand in the way of an automatic start.
    static std::vector<const model::Gate*> against_auto(const Assessment& assessment);
    /// Gates that stand in the way of a start by a person, unless the rule is overridden.
    static std::vector<const model::Gate*> against_person(
        const Assessment& assessment, scenario::Kind kind
    );
    /// Rules that nobody may override.
    static bool fixed(const std::string& rule);

private:
    struct Firing {
        std::optional<model::Time> since;  ///< The trigger's conditions hold without a break.
        bool firing = false;               ///< For long enough.
        model::Time firing_since{};
        std::int64_t firing_wall_ms = 0;
    };
    struct Inputs {
        const BookEntry& entry;
        const Situation& situation;
        const Firing& firing;
        Assessment& out;
    };

    bool trigger_holds(const BookEntry& entry, Assessment& out) const;
    bool trigger_is_over(const BookEntry& entry) const;
    model::Gate condition_gate(
        const scenario::Expression& condition, std::string_view code, bool wanted
    ) const;
    void add_require(const BookEntry& entry, Assessment& out) const;
    void add_gates(const Inputs& in) const;
    void add_brakes(const Inputs& in) const;
    void add_site_gates(const Inputs& in) const;
    void rearm(const BookEntry& entry, model::Time now);
    void add_cool_down(const Inputs& in) const;
    static void add_locks(const Inputs& in);
    void settle_modes(const Inputs& in) const;
    VerdictWord verdict_of(const Inputs& in) const;

    const judge::Judge& judge_;
    const model::Duration settles_after_;
    std::map<std::string, model::Time> over_since_;  ///< Without a break, by scenario.
    std::map<std::string, Firing> firings_;
    std::map<std::string, std::string> answered_;  ///< Run, by scenario.
    std::vector<std::string> rearmed_;
    std::map<std::string, Assessment> assessments_;
};

/// Whether a run of `kind` at `site` is ended when `scenario` fires: a site that is lost is not
/// brought back.
bool gives_way(const scenario::Scenario& scenario, scenario::Kind kind, const std::string& site);

/// Whether the site is kept out or drained, in whole or for some service.
bool is_out(const std::vector<store::WantedState>& wanted, const std::string& site);
/// Whether nobody is sent to the site any more: then there is nothing left to move away.
bool is_wholly_out(
    const std::vector<store::WantedState>& wanted, const model::Plan& plan, const std::string& site
);

}  // namespace twinsite::switchover
