// SPDX-License-Identifier: Apache-2.0
// The one sentence an operator needs first. Pure: made from the overview alone, worst news first.
import { shown_verdict } from "./blocking.js";

/** @import { Overview, Site, Run, Scenario } from "../types.js" */

/** @typedef {"ok" | "warn" | "bad" | "busy" | "hold" | "unknown"} Tone */
/** @typedef {{tone: Tone, key: string, site?: Site, other?: Site, run?: Run, scenario?: Scenario, count?: number}} Headline */

/** @param {Site} site */
export function is_lost(site) { return site.state.toLowerCase() === "failed"; }

/** @param {Site} site */
function is_out(site) { return site.desired === "out" || site.desired === "drain"; }

/** @param {Run} run */
export function waits_for_person(run) {
    return /^(paused|await_)/.test(run.state.toLowerCase());
}

/** @param {Overview} all @param {string} site */
function way_back(all, site) {
    return all.scenarios.find((each) => each.kind === "failback" && each.site === site && shown_verdict(each) === "offered");
}

/** One site is lost: is it dealt with, does something hold it up, do users wait?
 *  @param {Overview} all @param {Site} site @returns {Headline} */
function lost_headline(all, site) {
    const other = all.sites.find((each) => each.serving && each !== site);
    const unserved = all.services.some((service) => !service.good);
    const held = all.scenarios.find((each) => each.kind === "site-down" && each.site === site.name && each.verdict === "held");
    if (held) return { tone: "bad", key: "headline.lost_held", site, other, scenario: held };
    if (unserved) return { tone: "bad", key: "headline.lost_unserved", site, other };
    if (is_out(site)) return { tone: "warn", key: "headline.lost_out", site, other };
    return { tone: "bad", key: "headline.lost", site, other };
}

/** Sites that say nothing of being lost, but are not all as they should be; undefined when they are.
 *  @param {Overview} all @returns {Headline | undefined} */
function unsettled_headline(all) {
    const out = all.sites.find(is_out);
    if (out) {
        const other = all.sites.find((site) => site.serving && site !== out);
        const scenario = out.state.toLowerCase() === "ok" ? way_back(all, out.name) : undefined;
        return { tone: "hold", key: scenario ? "headline.out_ready" : "headline.out", site: out, other, scenario };
    }
    const shaky = all.sites.find((site) => site.state.toLowerCase() !== "ok");
    if (shaky) return { tone: "warn", key: `headline.${shaky.state.toLowerCase()}`, site: shaky };
    if (!all.sites.some((site) => site.serving)) return { tone: "warn", key: "headline.unanswered" };
    return undefined;
}

/** @param {Overview} all @returns {Headline} */
export function headline_of(all) {
    const active = all.runs.active[0];
    if (active) {
        const waiting = waits_for_person(active);
        return { tone: waiting ? "hold" : "busy", key: waiting ? "headline.run_waits" : "headline.run", run: active };
    }
    if (all.blind.is) return { tone: "warn", key: "headline.blind" };
    const lost = all.sites.filter(is_lost);
    const offered = all.scenarios.find((each) => each.verdict === "offered" && each.kind === "site-down");
    if (offered) {
        const site = all.sites.find((each) => each.name === offered.site) ?? lost[0];
        return { tone: "bad", key: "headline.offered", site, scenario: offered };
    }
    const unjudged = all.sites.length > 0 && all.sites.every((site) => site.state.toLowerCase() === "unknown");
    // Just started: nothing was ever good, so nothing can be called lost.
    if (unjudged && all.services.every((service) => !service.last_good_wall))
        return { tone: "unknown", key: "headline.unknown" };
    const unserved = all.services.some((service) => !service.good);
    const answered = all.sites.some((site) => site.serving);
    if (lost.length > 1 || (all.sites.length > 0 && !answered && unserved))
        return { tone: "bad", key: "headline.nobody" };
    if (lost.length === 1) return lost_headline(all, lost[0]);
    if (unserved) return { tone: "bad", key: "headline.unserved" };
    if (unjudged) return { tone: "unknown", key: "headline.unknown" };
    const unsettled = unsettled_headline(all);
    if (unsettled) return unsettled;
    if (all.pause) return { tone: "hold", key: "headline.paused" };
    const count = all.alarms.filter((alarm) => alarm.severity !== "info").length;
    if (count > 0) return { tone: "warn", key: "headline.alarms", count };
    return { tone: "ok", key: all.sites.length === 2 ? "headline.ok" : "headline.ok_all" };
}
