// SPDX-License-Identifier: Apache-2.0
// The RTO clock: how long users have been without good answers, against the target.
import { html } from "htm/preact";
import { duration, server_now, stopwatch } from "../state/clock.js";
import { clock_of } from "../state/flight.js";
import { t } from "../i18n/catalogue.js";
import { Shape } from "./mark.js";

/** @import { Run } from "../types.js" */

/** @param {Run} run @param {{ms: number, counting: boolean, kind: string}} clock */
function verdict_of(run, clock) {
    if (clock.kind === "length") return { key: "clock.no_outage", tone: "ok" };
    const target = run.rto_target_ms;
    const over = target !== null && target !== undefined && clock.ms > target;
    if (clock.counting) return { key: over ? "clock.over" : "clock.counting", tone: over ? "bad" : "busy" };
    if (run.rto_ok === false || over) return { key: "clock.missed", tone: "bad" };
    // Ended without a good answer again: the time is not an RTO, the users still wait.
    if ((run.rto_ms === null || run.rto_ms === undefined) && !run.marks?.r5_wall) return { key: "clock.never", tone: "bad" };
    return { key: target ? "clock.met" : "clock.restored", tone: "ok" };
}

/** @param {{run: Run}} props */
export function RunClock({ run }) {
    const clock = clock_of(run, server_now());
    const target = clock.kind === "rto" ? run.rto_target_ms ?? 0 : 0;
    const { key, tone } = verdict_of(run, clock);
    const share = target ? Math.min(1, clock.ms / target) : 0;
    return html`<div class=${`clock tone-${tone}`} role="timer" data-test="clock-rto" data-counting=${clock.counting}>
        <div class="clock-label">${t(clock.kind === "rto" ? (clock.counting ? "clock.without" : "clock.rto") : "clock.length")}</div>
        <div class="clock-digits number">${stopwatch(clock.ms)}<span class="clock-unit">${clock.ms < 60_000 ? t("clock.s") : t("clock.min")}</span></div>
        ${target > 0 && html`<div class="clock-bar" aria-hidden="true"><span style=${{ width: `${share * 100}%` }}></span></div>`}
        <div class="clock-verdict"><${Shape} tone=${tone} />${t(key, { target: duration(target) })}</div>
    </div>`;
}
