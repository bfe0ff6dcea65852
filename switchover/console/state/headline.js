// SPDX-License-Identifier: Apache-2.0
// The one sentence an operator needs first. Pure: made from the overview alone, worst news first.
/** @import { Overview, Site, Run, Scenario } from "../types.js" */

/** @typedef {"ok" | "warn" | "bad" | "busy" | "hold" | "unknown"} Tone */
/** @typedef {{tone: Tone, key: string, site?: Site, other?: Site, run?: Run, scenario?: Scenario, count?: number}} Headline */

/** @param {Site} site */
export function is_lost(site) { return site.state.toLowerCase() === "failed"; }

/** @param {Run} run */
export function waits_for_person(run) {
    return /^(paused|await_)/.test(run.state.toLowerCase());
}

/** @param {Overview} all @returns {Headline} */
export function headline_of(all) {
    const lost = all.sites.filter(is_lost);
    const serving = all.sites.filter((site) => site.serving);
    const out = all.sites.find((site) => site.desired === "out" || site.desired === "drain");
    const bad_service = all.services.some((service) => !service.good);
    const offered = all.scenarios.find((scenario) => scenario.verdict === "offered");
    const active = all.runs.active[0];

    if (active) {
        const waiting = waits_for_person(active);
        return { tone: waiting ? "hold" : "busy", key: waiting ? "headline.run_waits" : "headline.run", run: active };
    }
    if (all.blind.is) return { tone: "warn", key: "headline.blind" };
    if (offered && offered.kind !== "failback") {
        const site = all.sites.find((each) => each.name === offered.site) ?? lost[0];
        return { tone: "bad", key: "headline.offered", site, scenario: offered };
    }
    const unjudged = all.sites.length > 0 && all.sites.every((site) => site.state.toLowerCase() === "unknown");
    // Just started: nothing was ever good, so nothing can be called lost.
    if (unjudged && all.services.every((service) => !service.last_good_wall))
        return { tone: "unknown", key: "headline.unknown" };
    if (lost.length > 1 || (all.sites.length > 0 && serving.length === 0))
        return { tone: "bad", key: "headline.nobody" };
    if (lost.length === 1) {
        const other = serving.find((site) => site !== lost[0]);
        return { tone: "bad", key: bad_service ? "headline.lost_unserved" : "headline.lost", site: lost[0], other };
    }
    if (bad_service) return { tone: "bad", key: "headline.unserved" };
    if (unjudged) return { tone: "unknown", key: "headline.unknown" };
    if (out) {
        const other = serving.find((site) => site !== out);
        return {
            tone: "hold", key: offered ? "headline.out_ready" : "headline.out", site: out, other, scenario: offered,
        };
    }
    const shaky = all.sites.find((site) => site.state.toLowerCase() !== "ok");
    if (shaky) return { tone: "warn", key: `headline.${shaky.state.toLowerCase()}`, site: shaky };
    if (all.pause) return { tone: "hold", key: "headline.paused" };
    if (all.alarms.length > 0) return { tone: "warn", key: "headline.alarms", count: all.alarms.length };
    return { tone: "ok", key: all.sites.length === 2 ? "headline.ok" : "headline.ok_all" };
}
