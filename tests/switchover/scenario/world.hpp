// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "switchover/scenario/machine.hpp"

namespace twinsite::switchover::scenario {

/// The world outside of the machine, with an operation journal as agents have it: what is asked
/// twice by one id happens once. Answers are as `script` says by the beginning of the op_id, else
/// ok.
struct World {
    struct Answer {
        Event::Outcome outcome = Event::Outcome::ok;
        std::string output;
    };
    std::map<std::string, std::deque<Answer>> script;  ///< by step (or ".verify"), in order
    std::set<std::string> silent;                      ///< op_ids that are never answered
    std::map<std::string, Answer> journal;             ///< by op_id
    std::vector<std::string> done;                     ///< "STEP/TARGET ACTION", once per operation
    std::vector<std::string> asked;                    ///< op_ids of acts, every time

    static std::string place(const Effect& effect) {
        if (!effect.step.empty()) return effect.step;
        return effect.op_id.find(".verify") != std::string::npos ? ".verify" : ".require";
    }

    /// Does it, and gives the answer; nullopt: none comes.
    std::optional<Event> carry_out(const Effect& effect) {
        if (effect.kind == Effect::Kind::cancel) return std::nullopt;
        if (effect.kind == Effect::Kind::act) asked.push_back(effect.op_id);
        if (!journal.contains(effect.op_id)) {
            auto& answers = script[place(effect) + (effect.kind == Effect::Kind::check ? "?" : "")];
            Answer answer;
            if (!answers.empty()) {
                answer = answers.front();
                answers.pop_front();
            }
            journal[effect.op_id] = answer;
            if (effect.kind == Effect::Kind::act)
                done.push_back(
                    effect.step + (effect.target.empty() ? "" : "/" + effect.target) + " " +
                    effect.action.name
                );
        }
        if (silent.contains(effect.op_id)) return std::nullopt;
        const auto& answer = journal.at(effect.op_id);
        return Event::result_of(effect.op_id, answer.outcome, answer.output);
    }

    long times(const std::string& what) const { return std::count(done.begin(), done.end(), what); }
};

/// Plays a run in a world on a clock of its own.
class Player {
public:
    Player(const Scenario& scenario, Run run) : scenario_(scenario), run_(std::move(run)) {}

    World world;
    Moment now{1'000'000, 1'800'000'000'000};
    std::vector<std::string> transitions;  ///< run states, each change
    std::string hold;                      ///< why no step may begin

    const Run& run() const { return run_; }
    const StepRun& step_of(const std::string& id) const { return *run_.find_step(id); }

    /// One event and nothing more; its effects wait for `work`.
    std::string give(const Event& event) {
        auto held = event;
        held.hold = hold;
        auto out = step(scenario_, run_, held, now);
        run_ = std::move(out.run);
        for (auto& effect : out.effects) {
            last_effects.push_back(effect);
            waiting_.push_back(std::move(effect));
        }
        if (transitions.empty() || transitions.back() != to_string(run_.state))
            transitions.emplace_back(to_string(run_.state));
        return out.refused;
    }
    /// Carries out what waits, and what comes of it, until nothing more comes by itself.
    void work() {
        while (!waiting_.empty()) {
            const auto effect = waiting_.front();
            waiting_.pop_front();
            if (const auto event = world.carry_out(effect)) give(*event);
        }
    }
    void play(const Event& event) {
        give(event);
        work();
    }
    void pass(std::int64_t ms) {
        now.mono += ms;
        now.wall += ms;
        play(Event::of(Event::Kind::tick));
    }
    /// To the end, or until only a person could go on. False when there is no end in sight.
    bool play_out(int most = 200) {
        for (int i = 0; i < most && !ended(run_.state); ++i) {
            if (paused(run_.state)) return true;
            const auto wake = next_wake(run_);
            if (!wake) return false;
            pass(std::max<std::int64_t>(1, *wake - now.mono));
        }
        return ended(run_.state);
    }
    /// The process dies and another takes over: what waits to be carried out is lost, and the run
    /// comes from its text. The monotonic clock is another one.
    void die_and_restore(std::int64_t mono) {
        waiting_.clear();
        const auto read = decode_run(encode_run(run_));
        if (!read) throw std::runtime_error("a stored run cannot be read");
        if (!(*read == run_)) throw std::runtime_error("a stored run is another one when read");
        run_ = *read;
        now.mono = mono;
        give(Event::of(Event::Kind::restored));
    }

    std::vector<Effect> last_effects;  ///< all so far; clear it to see new ones
    std::deque<Effect>& waiting() { return waiting_; }

private:
    const Scenario& scenario_;
    Run run_;
    std::deque<Effect> waiting_;
};

inline Event by(Event::Kind kind, const std::string& step = {}, bool yes = false) {
    auto out = Event::of(kind);
    out.who = "li";
    out.reason = "because";
    out.step = step;
    out.yes = yes;
    return out;
}

}  // namespace twinsite::switchover::scenario
