// SPDX-License-Identifier: Apache-2.0
// What people ask of the conductor.
#include <algorithm>

#include "switchover/conductor.hpp"

namespace twinsite::switchover {
namespace {

using api::Actor;
using api::Done;
using api::Outcome;
using api::Refusal;
using scenario::Event;

Refusal refusal(unsigned status, std::string rule, std::string text) {
    return {status, std::move(rule), std::move(text), {}};
}

Refusal of_store(const base::Error& error) {
    const bool leads = error != store::Errc::not_leader;
    return refusal(503, leads ? "store" : "leader", error.message());
}

Refusal no_scenario(const std::string& name) {
    return refusal(404, "", "there is no scenario '" + name + "'");
}

std::vector<api::GateView> views_of(const Assessment& assessment) {
    std::vector<api::GateView> out;
    for (const auto* list : {&assessment.gates, &assessment.trigger, &assessment.require})
        for (const auto& gate : *list)
            out.push_back(
                {gate.code, gate.ok, gate.have, gate.need, gate.age_ms, gate.source, gate.text}
            );
    return out;
}

bool overrides(const api::RunRequest& request, const std::string& rule) {
    return std::any_of(request.overrides.begin(), request.overrides.end(), [&](const auto& each) {
        return each.rule == rule;
    });
}

Event::Kind kind_of(api::RunVerb verb) {
    switch (verb) {
        case api::RunVerb::pause:
            return Event::Kind::pause;
        case api::RunVerb::resume:
            return Event::Kind::resume;
        case api::RunVerb::abort:
            return Event::Kind::abort;
        case api::RunVerb::retry:
            return Event::Kind::retry;
        case api::RunVerb::skip:
            return Event::Kind::skip;
        case api::RunVerb::answer:
            return Event::Kind::answer;
    }
    return Event::Kind::tick;
}

}  // namespace

Outcome<Done> Conductor::set_mode(
    const Actor& actor,
    const std::string& scenario,
    const std::string& mode,
    const std::string& reason
) {
    if (!book_.contains(scenario)) return no_scenario(scenario);
    if (!scenario::parse_mode(mode)) return refusal(422, "mode", "must be auto, semi or off");
    const store::ModeSetting setting{mode, actor.who, reason, seams_.wall_ms()};
    store::Transaction transaction;
    store::save_mode(transaction, scenario, setting);
    if (const auto done = leader_.commit(transaction); !done) return of_store(done.error());
    modes_[scenario] = setting;
    ++revision_;
    assessor_.look(book_, situation());
    return Done{};
}

Outcome<Done> Conductor::pause(
    const Actor& actor, const std::string& reason, std::optional<std::int64_t> until_wall_ms
) {
    if (until_wall_ms && *until_wall_ms <= seams_.wall_ms())
        return refusal(422, "", "the end of the pause is over already");
    const store::Pause pause{actor.who, reason, seams_.wall_ms(), until_wall_ms};
    store::Transaction transaction;
    store::save_pause(transaction, pause);
    if (const auto done = leader_.commit(transaction); !done) return of_store(done.error());
    set_pause(pause);
    ++revision_;
    // No new step begins; those under way end by themselves.
    auto stop = Event::of(Event::Kind::pause);
    stop.who = actor.who;
    stop.reason = "automation paused: " + reason;
    std::vector<std::string> ids;
    for (const auto& driven : runs_.runs()) ids.push_back(driven.run.id);
    for (const auto& id : ids) static_cast<void>(runs_.order(id, stop));
    assessor_.look(book_, situation());
    return Done{};
}

Outcome<Done> Conductor::unpause(const Actor&) {
    if (!pause_) return refusal(409, "pause", "automation is not paused");
    store::Transaction transaction;
    store::save_pause(transaction, std::nullopt);
    if (const auto done = leader_.commit(transaction); !done) return of_store(done.error());
    set_pause(std::nullopt);
    ++revision_;
    assessor_.look(book_, situation());
    return Done{};
}

std::optional<Refusal> Conductor::refuse_start(
    const Assessment& assessment, const BookEntry& entry, const api::RunRequest& request
) const {
    for (const auto* gate : Assessor::against_person(assessment, entry.scenario.kind)) {
        const bool may = !Assessor::fixed(gate->code) && overrides(request, gate->code);
        if (may) continue;
        Refusal out;
        out.status = gate->code == model::gate::kLeader ? 503 : 409;
        out.rule = gate->code;
        out.text = gate->text + " (" + gate->have + ")";
        out.gates = views_of(assessment);
        return out;
    }
    return std::nullopt;
}

Outcome<scenario::Run> Conductor::repeat(
    const store::Answer& answer, const api::RunRequest& request
) {
    if (answer.digest != request.digest)
        return refusal(422, "", "this Idempotency-Key belongs to another request");
    if (const auto* driven = runs_.find(answer.run)) return driven->run;
    const auto record = store::load_run(store_, answer.run);
    if (!record) return of_store(record.error());
    if (!*record) return refusal(404, "", "the run of this Idempotency-Key is gone");
    auto run = scenario::decode_run((*record)->body);
    if (!run) return of_store(store::Errc::damaged);
    return std::move(*run);
}

Outcome<scenario::Run> Conductor::start_run(const Actor& actor, const api::RunRequest& request) {
    if (!request.idempotency_key.empty()) {
        const auto answer = store::find_answer(store_, request.idempotency_key);
        if (!answer) return of_store(answer.error());
        if (*answer) return repeat(**answer, request);
    }
    const auto found = book_.find(request.scenario);
    if (found == book_.end()) return no_scenario(request.scenario);
    const auto& entry = *found->second;
    if (!request.variant.empty() && !entry.scenario.variants.contains(request.variant))
        return refusal(422, "", "there is no variant '" + request.variant + "'");
    assessor_.look(book_, situation());
    const auto& assessment = *assessor_.find(request.scenario);
    if (auto refused = refuse_start(assessment, entry, request)) return std::move(*refused);

    RunDriver::Start start;
    start.entry = found->second;
    start.request.mode = "manual";
    start.request.by = actor.who;
    start.request.reason = request.reason;
    start.request.variant = request.variant;
    for (const auto& each : request.overrides)
        start.request.overrides.push_back({each.rule, each.reason});
    // The machine asks the requirements by their own names.
    if (overrides(request, std::string(model::gate::kRequire)))
        for (const auto* list : {&entry.scenario.require, &entry.scenario.safety})
            for (const auto& each : *list)
                start.request.overrides.push_back({each.text, "overridden with 'require'"});
    if (assessment.firing) start.fired_wall = assessment.firing_wall_ms;
    start.answer_key = request.idempotency_key;
    start.answer_digest = request.digest;
    start.from = actor.from;
    if (assessment.firing && !end_those_in_the_way(entry.scenario))
        return refusal(503, "lock", "the fail-back of this site cannot be ended now");
    auto begun = runs_.begin(start);
    if (!begun) return of_store(begun.error());
    ++counters_.begun;
    failed_runs_.erase(request.scenario);
    if (assessment.firing) assessor_.answered(request.scenario, begun->id);
    return std::move(*begun);
}

Outcome<scenario::Run> Conductor::order_run(const Actor& actor, const api::RunOrder& order) {
    const auto* driven = runs_.find(order.run);
    if (driven == nullptr) {
        const auto record = store::load_run(store_, order.run);
        if (!record) return of_store(record.error());
        if (!*record) return refusal(404, "", "there is no run '" + order.run + "'");
        return refusal(409, "", "the run is over");
    }
    auto event = Event::of(kind_of(order.verb));
    event.who = actor.who;
    event.reason = order.reason;
    event.step = order.step;
    event.yes = order.answer == "yes";
    const bool approves = order.verb == api::RunVerb::answer && order.step.empty() &&
                          driven->run.state == scenario::RunState::await_approval;
    if (approves && event.yes) event.kind = Event::Kind::approve;
    if (approves && !event.yes) event.kind = Event::Kind::abort;
    const bool goes_on = event.kind == Event::Kind::approve || order.verb == api::RunVerb::resume ||
                         order.verb == api::RunVerb::retry || order.verb == api::RunVerb::skip;
    if (const auto held = hold(driven->run); goes_on && !held.rule.empty())
        return refusal(409, held.rule, held.text);
    if (const auto refused = runs_.order(order.run, event); !refused.empty())
        return refusal(409, "", refused);
    return driven->run;
}

}  // namespace twinsite::switchover
