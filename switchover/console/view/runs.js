// SPDX-License-Identifier: Apache-2.0
// Runs of the past and present, newest first.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../state/api.js";
import { duration, wall_time } from "../state/clock.js";
import { address } from "../state/route.js";
import { t, t_or, titled } from "../i18n/catalogue.js";
import { Tag, tone_of } from "./mark.js";

/** @import { Run } from "../types.js" */

/** @param {Run} run */
export function who_started(run) { return run.by === "auto" ? t("run.by_auto") : run.by; }

/** @param {{active: string}} props */
export function RunsPage({ active }) {
    const [list, set_list] = useState(/** @type {Run[] | null} */ (null));
    const [failed, fail] = useState(false);
    useEffect(() => {
        let gone = false;
        get("/api/v1/runs").then((answer) => {
            const found = Array.isArray(answer) ? answer : answer.runs ?? [];
            if (!gone) set_list([...found].sort((a, b) => b.started_wall.localeCompare(a.started_wall)));
        }, () => { if (!gone) fail(true); });
        return () => { gone = true; };
    }, [active]);
    return html`<div class="runs"><h1>${t("runs.title")}</h1>
        ${failed && html`<p class="problem" role="alert">${t("problem.no_answer")}</p>`}
        ${list?.length === 0 && html`<p class="faint">${t("runs.none")}</p>`}
        ${list?.map((run) => html`<${RunRow} key=${run.id} run=${run} />`)}
    </div>`;
}

/** @param {{run: Run}} props */
export function RunRow({ run }) {
    const state = run.state.toLowerCase();
    const measured = run.rto_ms !== null && run.rto_ms !== undefined;
    return html`<a class="run-row" href=${address("runs", run.id)} data-test=${`run-row-${run.id}`}>
        <${Tag} tone=${tone_of(state)} strong=${true}>${t_or(`run.${state}`, run.state)}</${Tag}>
        <strong>${titled(run.title, run.scenario)}</strong>
        <span class="faint number">${wall_time(run.started_wall, { date: true })}</span>
        <span class="faint">${t("run.by", { by: who_started(run) })}</span>
        <span class=${`run-rto ${measured ? (run.rto_ok === false ? "tone-bad" : "tone-ok") : ""}`}>
            ${measured ? html`RTO <b class="number">${duration(run.rto_ms)}</b>` : html`<span class="faint">${t("run.no_outage")}</span>`}</span>
    </a>`;
}
