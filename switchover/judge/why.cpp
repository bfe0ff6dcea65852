// SPDX-License-Identifier: Apache-2.0
// Gates about machines, processes, members and services.
#include "switchover/judge/why.hpp"

#include <algorithm>

#include "switchover/judge/facts.hpp"
#include "switchover/judge/gate_text.hpp"
#include "switchover/judge/parts.hpp"
#include "switchover/judge/why_site.hpp"

namespace twinsite::switchover::judge {

namespace gate = model::gate;

namespace {

std::string word(State state) {
    return std::string(to_string(state));
}
std::string word(Truth truth) {
    return std::string(to_string(truth));
}
std::string word(ProcessState state) {
    switch (state) {
        case ProcessState::up:
            return "up";
        case ProcessState::stuck:
            return "stuck";
        case ProcessState::down:
            return "down";
        case ProcessState::unknown:
            break;
    }
    return "unknown";
}

Gate report_gate(const Parts& parts, std::size_t index) {
    const auto& host = parts.said.hosts[index];
    const auto id = parts.plan.agents[index].id();
    const bool ok = host.heard && !host.flags.stale;
    auto out = make_gate(
        gate::kReport,
        ok,
        ok ? "fresh" : (host.heard ? "stale" : "never heard"),
        "fresh",
        ok ? id + " reports." : id + " does not report; it may be well all the same."
    );
    out.age_ms = age(host.measured, parts.said.at);
    out.source = id;
    return out;
}

Gate fullness_gate(
    std::string_view code, bool bad, const Condition& condition, const std::string& id, Time now
) {
    const bool read_only = code == gate::kDisk && condition.value() > 100;
    const auto have = read_only ? "read-only" : spell(condition.value()) + " %";
    const auto need = "at most " + spell(condition.rule().enter) + " %";
    auto out = make_gate(
        code,
        !bad,
        condition.measured() ? have : "not known",
        need,
        std::string(code == gate::kDisk ? "The fullest disk of " : "The memory of ") + id +
            (read_only ? " is read-only." : " is used to " + have + ".")
    );
    out.age_ms = age(condition.measured(), now);
    out.source = id;
    return out;
}

/// The gates of "process.down" for one instance.
void explain_down(const Parts& parts, std::size_t index, std::vector<Gate>& out) {
    const auto& process = parts.said.processes[index];
    const auto host = parts.plan.agents[process.host].id();
    const auto now = parts.said.at;
    const auto reported = parts.hosts.reported(index);
    auto self = make_gate(
        gate::kProcess,
        reported == ProcessState::down || reported == ProcessState::stuck,
        word(reported),
        "down or stuck",
        "The agent of " + host + " says that " + process.name + " is " + word(reported) + "."
    );
    self.age_ms = age(parts.said.hosts[process.host].measured, now);
    self.source = host;
    out.push_back(std::move(self));
    const auto& outside = parts.hosts.outside(index);
    if (outside.measured()) {
        const auto majority = outside.majority(now);
        const std::string seen =
            majority == Truth::unknown ? "unknown" : (majority == Truth::yes ? "good" : "bad");
        auto probe = make_gate(
            gate::kOutsideProbe,
            majority == Truth::no,
            seen,
            "bad",
            "Seen from outside " + process.name + " of " + host + " is " + seen + "."
        );
        probe.age_ms = age(outside.measured(), now);
        out.push_back(std::move(probe));
    }
    for (auto& found :
         explain_condition(parts.hosts.process(index), process.name + " up", host, now))
        if (found.code != gate::kLevel) out.push_back(std::move(found));
}

std::vector<Gate> explain_processes(const Parts& parts, std::string_view what, const Subject& of) {
    std::vector<Gate> out;
    if (of.processes.empty())
        out.push_back(make_gate(
            gate::kNoData, false, "never reported", "a report", "No agent names such a process."
        ));
    for (const auto index : of.processes) {
        if (what == "down")
            explain_down(parts, index, out);
        else if (what != "sister_ok")
            out.push_back(explain_process_state(parts, index));
    }
    if (what == "sister_ok" && !of.processes.empty()) {
        const bool ok = sister_ok(parts, of.processes);
        out.push_back(make_gate(
            gate::kLastActive,
            ok,
            ok ? "another one is OK" : "no other is OK",
            "another one OK",
            ok ? "Another instance at the site carries on." : "It would be the last that works."
        ));
    }
    return out;
}

Gate rate_gate(const Parts& parts, std::size_t index) {
    const auto volume = parts.business.volume(index, parts.said.at);
    const auto need = parts.rules.business_min_volume;
    if (volume.attempts < need)
        return make_gate(
            gate::kVolume,
            true,
            spell(volume.attempts) + " answers",
            spell(need) + " answers",
            "Too few counted answers to judge by; the probes decide."
        );
    const bool ok = volume.share() >= parts.rules.business_floor;
    return make_gate(
        gate::kBusinessRate,
        ok,
        spell(volume.share() * 100) + " % of " + spell(volume.attempts),
        "at least " + spell(parts.rules.business_floor * 100) + " %",
        spell(volume.share() * 100) + " % of " + spell(volume.attempts) +
            " counted answers were good."
    );
}

std::vector<Gate> explain_service(const Parts& parts, std::size_t index) {
    const auto& service = parts.said.services[index];
    const auto now = parts.said.at;
    std::vector<Gate> out;
    for (const auto& view : service.views) {
        const std::string have = !view.fresh ? "not fresh" : (view.ok ? "good" : "bad");
        auto probe = make_gate(
            gate::kBusinessProbe,
            view.fresh && view.ok,
            have,
            "good",
            "The newest answer to " + view.probe +
                (view.view.empty() ? "" : ", as a client of " + view.view + ",") + " is " + have +
                "."
        );
        probe.age_ms = age(view.measured, now);
        probe.source = view.observer;
        out.push_back(std::move(probe));
    }
    out.push_back(rate_gate(parts, index));
    const auto since = parts.business.good_since(index, now);
    const auto lasted = since ? std::chrono::duration_cast<Duration>(now - *since) : Duration{0};
    out.push_back(make_gate(
        gate::kBusinessHold,
        service.good == Truth::yes,
        since ? spell(lasted) : "not good",
        spell(parts.rules.business_hold),
        since ? "Good answers in every view for " + spell(lasted) + "."
              : "There is no view that is good, or one that is not."
    ));
    return out;
}

}  // namespace

std::vector<Gate> explain_condition(
    const Condition& condition, std::string_view what, std::string_view source, Time now
) {
    auto copy = condition;
    const auto state = copy.evaluate(now);
    const auto& rule = condition.rule();
    const std::string side = rule.side == Side::below ? "below " : "above ";
    const bool known = state != ConditionState::unknown && state != ConditionState::insufficient;
    std::vector<Gate> out;
    if (state == ConditionState::unknown)
        out.push_back(make_gate(
            gate::kNoData,
            false,
            "no fresh value",
            "a value",
            "There is no fresh value of " + std::string(what) + "."
        ));
    if (state == ConditionState::insufficient)
        out.push_back(make_gate(
            gate::kVolume,
            false,
            spell(condition.volume()),
            spell(rule.min_volume),
            "Too few attempts to judge " + std::string(what) + " by."
        ));
    if (known) {
        const bool beyond = rule.side == Side::below ? condition.value() < rule.enter
                                                     : condition.value() > rule.enter;
        out.push_back(make_gate(
            gate::kLevel,
            beyond,
            spell(condition.value()),
            side + spell(rule.enter),
            std::string(what) + " is " + spell(condition.value()) + "."
        ));
        out.push_back(make_gate(
            gate::kMOfN,
            condition.bad() >= rule.m,
            of(condition.bad(), rule.n),
            of(rule.m, rule.n),
            of(condition.bad(), rule.n) + " samples of " + std::string(what) + " are bad."
        ));
        out.push_back(make_gate(
            gate::kHeldFor,
            state == ConditionState::firing,
            spell(condition.lasted()),
            spell(rule.hold),
            std::string(what) + " is bad for " + spell(condition.lasted()) + "."
        ));
    }
    for (auto& found : out) {
        found.age_ms = age(condition.measured(), now);
        found.source = source;
    }
    return out;
}

std::vector<Gate> explain_host(const Parts& parts, std::size_t host) {
    const auto& verdict = parts.said.hosts[host];
    const auto id = parts.plan.agents[host].id();
    const auto now = parts.said.at;
    std::vector<Gate> out{report_gate(parts, host)};
    if (verdict.flags.stale || !verdict.heard) return out;
    out.push_back(fullness_gate(gate::kDisk, verdict.disk_bad, parts.hosts.disk(host), id, now));
    out.push_back(
        fullness_gate(gate::kMemory, verdict.memory_bad, parts.hosts.memory(host), id, now)
    );
    return out;
}

std::vector<Gate> explain_member(const Parts& parts, std::size_t index) {
    const auto& member = parts.said.members[index];
    std::vector<Gate> out;
    out.push_back(make_gate(
        gate::kMember,
        member.reachable == Truth::yes,
        "reachable: " + word(member.reachable),
        "reachable",
        member.name + (member.reachable == Truth::yes ? " answers." : " does not answer.")
    ));
    if (member.reachable == Truth::yes && member.kind != MemberKind::monitor)
        out.push_back(make_gate(
            gate::kTargetInSync,
            member.in_sync == Truth::yes,
            "in step: " + word(member.in_sync),
            "in step",
            member.name + (member.in_sync == Truth::yes ? " has the wanted state."
                                                        : " has not got the wanted state yet.")
        ));
    if (member.ready == Truth::no)
        out.push_back(make_gate(
            gate::kMember, false, "not ready", "ready", member.name + " says it is not ready."
        ));
    for (auto& found : out) {
        found.source = member.name;
        found.age_ms = age(member.heard, parts.said.at);
    }
    return out;
}

Gate explain_process_state(const Parts& parts, std::size_t index) {
    const auto& process = parts.said.processes[index];
    const auto host = parts.plan.agents[process.host].id();
    auto out = make_gate(
        gate::kProcess,
        process.state == State::ok,
        word(process.state),
        "OK",
        process.name + " of " + host + " is " + word(process.state) + "."
    );
    out.age_ms = age(parts.said.hosts[process.host].measured, parts.said.at);
    out.source = host;
    return out;
}

std::vector<Gate> explain_fact(
    const Parts& parts, std::string_view name, std::span<const std::string> arguments
) {
    const auto subject = find_subject(parts, name, arguments);
    if (!subject) return {};
    const auto what = name.substr(name.find('.') + 1);
    const auto kind = subject->form->argument;
    if (kind == "site") return explain_site(parts, what, subject->index);
    if (kind == "host") return explain_host(parts, subject->index);
    if (kind == "process") return explain_processes(parts, what, *subject);
    if (kind == "member") return explain_member(parts, subject->index);
    if (kind == "service") return explain_service(parts, subject->index);
    const auto& blind = parts.said.blind;
    return {make_gate(
        gate::kBlind,
        !blind.is,
        blind.is ? "blind" : "not blind",
        "not blind",
        blind.is ? "The judge is blind: " + blind.why + "." : "The judge trusts its view."
    )};
}

}  // namespace twinsite::switchover::judge
