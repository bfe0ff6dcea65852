// SPDX-License-Identifier: Apache-2.0
#include "switchover/assessor.hpp"

#include <algorithm>
#include <utility>

#include "base/text/text.hpp"

namespace twinsite::switchover {
namespace {

using model::Gate;
using scenario::Kind;
using scenario::Mode;
namespace gate = model::gate;

Gate make_gate(
    std::string_view code, bool ok, std::string have, std::string need, std::string text
) {
    Gate out;
    out.code = code;
    out.ok = ok;
    out.have = std::move(have);
    out.need = std::move(need);
    out.text = std::move(text);
    return out;
}

bool is_any(const Gate& gate, std::initializer_list<std::string_view> codes) {
    return std::find(codes.begin(), codes.end(), gate.code) != codes.end();
}

bool shares_lock(const scenario::Scenario& scenario, const Situation::ActiveRun& run) {
    if (!scenario.site.empty() && !run.site.empty()) return true;
    return std::any_of(run.locks.begin(), run.locks.end(), [&](const std::string& lock) {
        return std::binary_search(scenario.locks.begin(), scenario.locks.end(), lock);
    });
}

std::string seconds(std::int64_t ms) {
    return std::to_string((ms + 999) / 1000) + " s";
}

}  // namespace

const char* to_string(VerdictWord word) {
    switch (word) {
        case VerdictWord::idle:
            return "idle";
        case VerdictWord::waiting:
            return "waiting";
        case VerdictWord::held:
            return "held";
        case VerdictWord::offered:
            return "offered";
        case VerdictWord::would_start:
            return "would_start";
        case VerdictWord::running:
            return "running";
    }
    return "idle";
}

bool is_out(const std::vector<store::WantedState>& wanted, const std::string& site) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const store::WantedState& each) {
        if (each.receiver != "gslb" || each.state == "in") return false;
        return each.object == "site:" + site || each.object.ends_with("@" + site);
    });
}

bool gives_way(const scenario::Scenario& scenario, Kind kind, const std::string& site) {
    return scenario.kind == Kind::site_down && kind == Kind::failback && scenario.site == site;
}

bool is_wholly_out(
    const std::vector<store::WantedState>& wanted, const model::Plan& plan, const std::string& site
) {
    const auto out = [&](const std::string& object) {
        return std::any_of(wanted.begin(), wanted.end(), [&](const store::WantedState& each) {
            return each.receiver == "gslb" && each.state == "out" && each.object == object;
        });
    };
    if (out("site:" + site)) return true;
    return !plan.services.empty() &&
           std::all_of(plan.services.begin(), plan.services.end(), [&](const auto& service) {
               return out("service:" + service.name + "@" + site);
           });
}

void Assessor::look(const Book& book, const Situation& situation) {
    std::map<std::string, Assessment> next;
    const auto& blind = judge_.verdicts().blind;
    const bool sees = !blind.is && !blind.starting;
    for (const auto& [name, entry] : book) {
        auto& out = next[name];
        auto& firing = firings_[name];
        // What was seen while blind does not count, also not for how long it has lasted.
        const bool holds = trigger_holds(*entry, out) && !blind.is;
        if (!holds) firing = Firing{};
        if (sees && trigger_is_over(*entry))
            rearm(*entry, situation.now);
        else
            over_since_.erase(name);
        if (holds && !firing.since) firing.since = situation.now;
        if (holds && !firing.firing &&
            situation.now - *firing.since >= entry->scenario.trigger.lasting) {
            firing.firing = true;
            firing.firing_since = situation.now;
            firing.firing_wall_ms = situation.wall_ms;
        }
        out.firing = firing.firing;
        out.firing_since = firing.firing_since;
        out.firing_wall_ms = firing.firing_wall_ms;
        const Inputs in{*entry, situation, firing, out};
        add_require(*entry, out);
        settle_modes(in);
        add_gates(in);
        out.verdict = verdict_of(in);
    }
    std::erase_if(firings_, [&](const auto& item) { return !next.contains(item.first); });
    assessments_ = std::move(next);
}

void Assessor::answered(const std::string& scenario, const std::string& run) {
    answered_[scenario] = run;
}

void Assessor::rearm(const BookEntry& entry, model::Time now) {
    const auto found = answered_.find(entry.scenario.name);
    if (found == answered_.end()) return;
    if (const auto site = judge_.plan().find_site(entry.scenario.site))
        if (judge_.verdicts().sites[*site].state != judge::State::ok) return;
    const auto over_since = over_since_.try_emplace(entry.scenario.name, now).first->second;
    if (entry.scenario.site.empty() && now - over_since <= settles_after_) return;
    rearmed_.push_back(found->first);
    answered_.erase(found);
}

const Assessment* Assessor::find(const std::string& scenario) const {
    const auto found = assessments_.find(scenario);
    return found == assessments_.end() ? nullptr : &found->second;
}

Gate Assessor::condition_gate(
    const scenario::Expression& condition, std::string_view code, bool wanted
) const {
    const auto fact = judge_.fact(condition.name, condition.arguments);
    const std::string have = fact ? fact->text : "not known";
    // What is not known is neither so nor not so: only who asks for "unknown" is answered.
    const bool asks_unknown = condition.comparator == scenario::Comparator::equal &&
                              base::text::equals_ignoring_case(condition.value, "unknown");
    const bool known = fact && (fact->truth != judge::Truth::unknown || asks_unknown);
    const bool ok = known && scenario::satisfied(condition, have) == wanted;
    return make_gate(
        code,
        ok,
        have,
        wanted ? "true" : "not true",
        (wanted ? "must hold: " : "must not hold: ") + condition.text
    );
}

bool Assessor::trigger_holds(const BookEntry& entry, Assessment& out) const {
    const auto& trigger = entry.scenario.trigger;
    bool good = !trigger.empty();
    const auto look_at = [&](const scenario::Expression& condition, std::string_view code, bool is
                         ) {
        auto summary = condition_gate(condition, code, is);
        const bool ok = summary.ok;
        out.trigger.push_back(std::move(summary));
        for (auto& detail : judge_.why(condition.name, condition.arguments))
            out.trigger.push_back(std::move(detail));
        return ok;
    };
    for (const auto& condition : trigger.all) good &= look_at(condition, gate::kTrigger, true);
    bool any = trigger.any.empty();
    for (const auto& condition : trigger.any) any |= look_at(condition, gate::kTrigger, true);
    for (const auto& condition : trigger.unless) good &= look_at(condition, gate::kUnless, false);
    return good && any;
}

bool Assessor::trigger_is_over(const BookEntry& entry) const {
    const auto& trigger = entry.scenario.trigger;
    bool known = true;
    const auto holds = [&](const scenario::Expression& condition) {
        const auto fact = judge_.fact(condition.name, condition.arguments);
        known = known && fact && fact->truth != judge::Truth::unknown;
        return fact && scenario::satisfied(condition, fact->text);
    };
    bool good = !trigger.empty();
    for (const auto& condition : trigger.all) good &= holds(condition);
    bool any = trigger.any.empty();
    for (const auto& condition : trigger.any) any |= holds(condition);
    return known && !(good && any);
}

void Assessor::add_require(const BookEntry& entry, Assessment& out) const {
    for (const auto* list : {&entry.scenario.require, &entry.scenario.safety})
        for (const auto& condition : *list) {
            if (judge_.fact(condition.name, condition.arguments)) {
                auto summary = condition_gate(condition, gate::kRequire, true);
                const bool ok = summary.ok;
                out.require.push_back(std::move(summary));
                if (ok) continue;
                for (auto& detail : judge_.why(condition.name, condition.arguments))
                    if (!detail.ok) out.require.push_back(std::move(detail));
                continue;
            }
            // Members are asked for it when the run begins.
            out.require.push_back(make_gate(
                gate::kRequire, true, "asked at the start", "true", "must hold: " + condition.text
            ));
        }
}

void Assessor::settle_modes(const Inputs& in) const {
    auto& out = in.out;
    const auto& scenario = in.entry.scenario;
    out.mode = scenario.mode;
    if (const auto set = in.situation.modes.find(scenario.name); set != in.situation.modes.end())
        out.mode = scenario::parse_mode(set->second.mode).value_or(Mode::off);
    out.effective = out.mode;
    if (out.mode != Mode::automatic) return;
    bool may = in.entry.lint.auto_allowed();
    if (!scenario.site.empty())
        for (const auto& brake : judge_.brakes(scenario.site))
            if (brake.code == gate::kNotInsideSite && !brake.ok) may = false;
    if (!may) out.effective = Mode::semi;
}

void Assessor::add_gates(const Inputs& in) const {
    auto& gates = in.out.gates;
    gates.push_back(make_gate(
        gate::kLeader,
        in.situation.leads,
        in.situation.leads ? "yes" : "no",
        "yes",
        "this server must lead"
    ));
    const auto& pause = in.situation.pause;
    gates.push_back(make_gate(
        gate::kPause,
        !pause,
        pause ? "paused by " + pause->by + ": " + pause->reason : "not paused",
        "not paused",
        "automation must not be paused"
    ));
    gates.push_back(make_gate(
        gate::kMode,
        in.out.effective == Mode::automatic,
        scenario::to_string(in.out.effective),
        "auto",
        "the mode in force must be auto to start by itself"
    ));
    std::string remarks;
    for (const auto& remark : in.entry.lint.remarks)
        if (remark.refuses_auto) remarks += (remarks.empty() ? "" : "; ") + remark.text;
    gates.push_back(make_gate(
        gate::kLint,
        in.entry.lint.auto_allowed(),
        remarks.empty() ? "nothing found" : remarks,
        "nothing that forbids auto",
        "the scenario must be fit to run by itself"
    ));
    add_brakes(in);
    add_cool_down(in);
    add_locks(in);
    add_site_gates(in);
}

void Assessor::add_brakes(const Inputs& in) const {
    if (!in.entry.scenario.site.empty()) {
        for (auto& brake : judge_.brakes(in.entry.scenario.site))
            in.out.gates.push_back(std::move(brake));
        return;
    }
    const auto& blind = judge_.verdicts().blind;
    in.out.gates.push_back(make_gate(
        gate::kBlind, !blind.is, blind.is ? blind.why : "sees", "sees", "the judge must see"
    ));
}

void Assessor::add_cool_down(const Inputs& in) const {
    const auto& scenario = in.entry.scenario;
    const auto end = in.situation.last_ends.find(scenario.name);
    model::Duration over{0};
    if (end != in.situation.last_ends.end())
        over =
            std::chrono::ceil<model::Duration>(end->second + scenario.cooldown - in.situation.now);
    const auto left = std::max<std::int64_t>(0, over.count());
    std::string have = left > 0 ? "ends in " + seconds(left) : "over";
    bool ok = left == 0;
    if (const auto run = answered_.find(scenario.name); ok && run != answered_.end()) {
        ok = false;
        have = "this incident was answered by run " + run->second;
    }
    in.out.gates.push_back(make_gate(
        gate::kCoolDown, ok, have, "over", "the pause after its last automatic run must be over"
    ));
}

void Assessor::add_locks(const Inputs& in) {
    std::string holder;
    for (const auto& run : in.situation.active)
        if ((run.scenario == in.entry.scenario.name || shares_lock(in.entry.scenario, run)) &&
            !(in.firing.firing && gives_way(in.entry.scenario, run.kind, run.site)))
            holder = run.id + " (" + run.scenario + ")";
    in.out.gates.push_back(make_gate(
        gate::kLock,
        holder.empty(),
        holder.empty() ? "free" : "held by run " + holder,
        "free",
        "no other run may hold its locks"
    ));
}

void Assessor::add_site_gates(const Inputs& in) const {
    const auto& scenario = in.entry.scenario;
    if (scenario.kind == Kind::other) return;
    const auto& wanted = in.situation.wanted;
    const auto& plan = judge_.plan();
    const bool moves_out = scenario.kind == Kind::site_down;
    // A site that is drained, or out for one service, can still be lost; and brought back.
    const bool out =
        moves_out ? is_wholly_out(wanted, plan, scenario.site) : is_out(wanted, scenario.site);
    in.out.gates.push_back(make_gate(
        gate::kAlreadySo,
        out != moves_out,
        out ? "out" : "in",
        moves_out ? "in" : "out",
        moves_out ? "the site must not be kept out already" : "the site must be kept out"
    ));
    if (!moves_out) return;
    std::string left;
    for (std::size_t at = 0; at < plan.sites.size(); ++at) {
        const auto& name = plan.sites[at].name;
        const auto state = judge_.verdicts().sites[at].state;
        if (name == scenario.site || is_wholly_out(wanted, plan, name) ||
            state == judge::State::failed)
            continue;
        left += (left.empty() ? "" : ", ") + name;
    }
    in.out.gates.push_back(make_gate(
        gate::kLastSite,
        !left.empty(),
        left.empty() ? "none" : left,
        "another site that is in and has not failed",
        "the last site is never taken out"
    ));
}

VerdictWord Assessor::verdict_of(const Inputs& in) const {
    const auto& out = in.out;
    for (const auto& run : in.situation.active)
        if (run.scenario == in.entry.scenario.name) return VerdictWord::running;
    if (!out.firing) return in.firing.since ? VerdictWord::waiting : VerdictWord::idle;
    // Nothing is held up where everything is as the scenario would make it.
    for (const auto& gate : out.gates)
        if (gate.code == gate::kAlreadySo && !gate.ok) return VerdictWord::idle;
    if (out.effective == Mode::automatic)
        return against_auto(out).empty() ? VerdictWord::would_start : VerdictWord::held;
    if (out.effective == Mode::off) return VerdictWord::held;
    return against_person(out, in.entry.scenario.kind).empty() ? VerdictWord::offered
                                                               : VerdictWord::held;
}

std::vector<const Gate*> Assessor::against_auto(const Assessment& assessment) {
    std::vector<const Gate*> out;
    for (const auto& gate : assessment.gates)
        if (!gate.ok) out.push_back(&gate);
    // The other gates there only say why.
    for (const auto& gate : assessment.require)
        if (!gate.ok && gate.code == gate::kRequire) out.push_back(&gate);
    return out;
}

std::vector<const Gate*> Assessor::against_person(const Assessment& assessment, Kind kind) {
    std::vector<const Gate*> out;
    const bool off = assessment.mode == Mode::off;
    for (const auto& gate : assessment.gates) {
        if (gate.ok) continue;
        const bool counts =
            is_any(
                gate, {gate::kLeader, gate::kPause, gate::kBlind, gate::kLock, gate::kLastSite}
            ) ||
            is_any(gate, {gate::kAlreadySo}) || (off && is_any(gate, {gate::kMode})) ||
            (kind == Kind::site_down && is_any(gate, {gate::kBothSitesBad}));
        if (counts) out.push_back(&gate);
    }
    if (!assessment.firing)
        for (const auto& gate : assessment.trigger)
            if (!gate.ok && is_any(gate, {gate::kTrigger, gate::kUnless})) out.push_back(&gate);
    for (const auto& gate : assessment.require)
        if (!gate.ok && gate.code == gate::kRequire) out.push_back(&gate);
    return out;
}

bool Assessor::fixed(const std::string& rule) {
    const std::string_view rules[] = {gate::kLeader, gate::kLock, gate::kLastSite};
    return std::find(std::begin(rules), std::end(rules), rule) != std::end(rules);
}

}  // namespace twinsite::switchover
