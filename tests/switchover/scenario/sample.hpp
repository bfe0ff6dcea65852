// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "switchover/scenario/machine.hpp"
#include "switchover/scenario/parse.hpp"

/// A configuration, and scenarios for it.
namespace twinsite::switchover::scenario {

inline Names sample_names() {
    Names out;
    out.sites = {"east", "west"};
    out.hosts = {
        {"east/if1", "interface"},
        {"east/proc1", "processing"},
        {"west/if1", "interface"},
        {"west/if2", "interface"},
        {"west/proc1", "processing"},
    };
    out.members = {"gslb-east", "gslb-west", "slb-east", "slb-west", "mon-west"};
    out.services = {"ocs"};
    out.scenarios = {
        "sample", "failback-east", "failback-west", "site-east-down", "site-west-down"
    };
    return out;
}

inline const char* const kHead =
    "schema: twinsite/1\n"
    "scenario: sample\n"
    "kind: site-down\n"
    "site: east\n";

inline Scenario scenario_of(const std::string& text) {
    const auto parsed = parse_source(text, "sample.yaml", sample_names());
    std::string findings;
    for (const auto& finding : parsed.findings) findings += to_string(finding) + "\n";
    if (!findings.empty()) throw std::runtime_error(findings);
    return parsed.scenario;
}

/// Every kind of step, one behind the other and beside each other.
inline const char* const kWhole = R"(
schema: twinsite/1
scenario: sample
title: {en: Sample, zh: 样例}
kind: site-down
site: east
mode: auto
rto_target: 600s
trigger: {all: [site.down(east)], unless: [site.flapping(east)], for: 3s}
require: [site.ready(west)]
safety: ["site.state(west) == ok"]
approval: {wait: 90s}
defaults: {timeout: 10s, tries: 2, backoff: 2s, on_fail: pause}
variants: {forced: {skip: [drain]}}
steps:
  - id: announce
    do: {notify: {text: "run ${run.id}"}}
    on_fail: ignore
  - id: drain
    do: {slb.drain: {site: east, blade: b1}}
    undo: {slb.activate: {site: east, blade: b1}}
    tries: 1
    on_fail: continue
  - id: tell-all
    needs: [drain]
    each: {site: west, kind: [interface, processing]}
    parallel: 2
    allow_fail: 0%
    do: {agent.run: {action: module.notify, to: west}}
  - id: steer
    needs: [tell-all]
    pre: [site.ok(west)]
    do: {gslb.set: {site: east, state: out}}
    post: ["gslb.applied(east) == out", "dns.answer(ocs.example.net, east) == west"]
    undo: {gslb.set: {site: east, state: in}}
    on_fail: rollback
  - id: rest
    needs: [steer]
    do: {wait: {for: 2s}}
  - id: look
    needs: [rest, announce]
    human: {ask: "Good?", wait: 60s, on_timeout: continue}
verify: {check: [business.good(ocs)], hold: 3s, within: 20s}
failback: failback-east
cooldown: 60s
)";

inline RunRequest sample_request(const std::string& mode = "manual") {
    RunRequest out;
    out.id = "r01-000017";
    out.hash = "abc";
    out.mode = mode;
    out.by = "li";
    out.reason = "test";
    return out;
}

}  // namespace twinsite::switchover::scenario
