// SPDX-License-Identifier: Apache-2.0
// One run, as a flight recorder has it: clock, marks R0 to R5, steps, and every entry in order.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { call, part } from "../state/api.js";
import { useCell, useTick } from "../state/cell.js";
import { duration, server_now, stopwatch, wall_time } from "../state/clock.js";
import { entries_of, has_ended, marks_of, origin_of, rows_of, span_of, time_of, work_span_of } from "../state/flight.js";
import { waits_for_person } from "../state/headline.js";
import { fetch_run, runs, take_run } from "../state/live.js";
import { address } from "../state/route.js";
import { may_act } from "../state/session.js";
import { t, t_or, titled } from "../i18n/catalogue.js";
import { ReasonDialog } from "./dialog.js";
import { Shape, Tag, tone_of } from "./mark.js";
import { RunClock } from "./run_clock.js";
import { who_started } from "./runs.js";

/** @import { Overview, Run, Step } from "../types.js" */

/** @param {{id: string, all: Overview}} props */
export function RunPage({ id, all }) {
    const known = useCell(runs).get(id);
    const [failed, fail] = useState(false);
    const active = all.runs.active.some((run) => run.id === id);
    // The last word on a run may have been missed while the stream was away: ask once more at its end.
    useEffect(() => { fetch_run(id).then(() => fail(false), () => fail(true)); }, [id, active]);
    useTick(known && !has_ended(known) ? 100 : 0);
    if (!known) return html`<div class="waiting"><h1>${t(failed ? "run.not_found" : "run.loading")}</h1>
        <a href=${address("runs")}>${t("runs.all")}</a></div>`;
    return html`<div class="run" data-run=${id} data-state=${known.state.toLowerCase()}>
        <${RunHead} run=${known} />
        <${Line} run=${known} />
        <div class="run-columns">
            <${Steps} run=${known} />
            <${Recorder} run=${known} />
        </div>
        <${RunFacts} run=${known} />
    </div>`;
}

/** @param {{run: Run}} props */
function RunHead({ run }) {
    const state = run.state.toLowerCase();
    const tone = tone_of(state);
    return html`<header class=${`run-head tone-${tone}`}>
        <div class="run-words">
            <a href=${address("runs")} class="faint">← ${t("runs.title")}</a>
            <h1>${titled(run.title, run.scenario)}</h1>
            <div class="run-state"><${Tag} tone=${tone} strong=${true}>${t_or(`run.${state}`, run.state)}</${Tag}>
                ${t("run.started_by", { by: who_started(run), time: wall_time(run.started_wall, { date: true }) })}</div>
            ${run.reason && html`<p class="run-reason">“${t_or(`reason.${run.reason}`, run.reason)}”</p>`}
            ${run.output && html`<p class=${`run-output tone-${tone}`}>${run.output}</p>`}
            ${run.health_alone && html`<p class="notice"><${Shape} tone="ok" /><span>${t("run.health_alone")}</span></p>`}
            <${Controls} run=${run} />
        </div>
        <${RunClock} run=${run} />
    </header>`;
}

/** The step that asks a person, if one does now. @param {Run} run */
function asking_step(run) {
    return (run.steps ?? []).find((step) => step.action === "human" && tone_of(step.state) === "busy");
}

/** @param {Run} run @returns {string[]} what a person may do now */
function possible(run) {
    if (has_ended(run)) return [];
    const state = run.state.toLowerCase();
    if (state === "paused_step_failed") return ["retry", "skip", "abort"];
    if (state === "await_approval") return ["approve", "reject"];
    if (asking_step(run)) return ["answer_yes", "answer_no", "abort"];
    return waits_for_person(run) ? ["resume", "abort"] : ["pause", "abort"];
}

/** @param {{run: Run}} props */
function Controls({ run }) {
    const [asked, ask] = useState("");
    const actions = may_act() ? possible(run) : [];
    const step = asking_step(run)
        ?? (run.steps ?? []).find((each) => /^(failed|timed_out|unknown_outcome)$/i.test(each.state));
    if (actions.length === 0) return null;
    const work = async (/** @type {string} */ reason) => {
        const [verb, said] = { approve: ["answer", "yes"], reject: ["answer", "no"] }[asked] ?? asked.split("_");
        const names_step = ["retry", "skip", "answer"].includes(verb);
        const answer = await call("POST", `/api/v1/runs/${part(run.id)}/${verb}`,
            { reason, ...(said ? { answer: said } : {}), ...(names_step && step ? { step: step.id } : {}) });
        if (answer && answer.id === run.id && answer.steps) take_run(answer);
        else await fetch_run(run.id);
    };
    return html`<div class="buttons">${actions.map((action) => html`<button type="button" key=${action}
            class=${action === "abort" || action === "reject" ? "quiet danger-text" : ["resume", "retry", "approve"].includes(action) ? "primary" : ""}
            data-test=${`run-${action}`} onClick=${() => ask(action)}>${t(`run.do.${action}`)}</button>`)}
        ${asked && html`<${ReasonDialog} title=${t(`run.do.${asked}`)} explain=${t(`run.do.${asked}.explain`, { step: step ? titled(step.title, step.id) : "" })}
            action=${t(`run.do.${asked}`)} tone=${asked === "abort" ? "bad" : undefined} on_close=${() => ask("")} work=${work} />`}
    </div>`;
}

/** @param {{run: Run}} props */
function Line({ run }) {
    const now = server_now();
    const { from, to } = span_of(run, now);
    const share = (/** @type {number} */ at) => Math.min(1, Math.max(0, (at - from) / (to - from)));
    const left = (/** @type {number} */ at) => ({ left: `${share(at) * 100}%` });
    const origin = origin_of(run);
    const marks = marks_of(run);
    const find = (/** @type {string} */ label) => marks.find((mark) => mark.label === label)?.at;
    const r0 = find("R0");
    const end = find("R5") ?? (has_ended(run) ? time_of(run.ended_wall) ?? now : now);
    const target = run.rto_target_ms && r0 !== undefined ? r0 + run.rto_target_ms : null;
    const placed = rows_of(marks.map((mark) => ({ label: mark.label, share: share(mark.at) })), 0.055);
    const rows = placed.reduce((most, mark) => Math.max(most, mark.row + 1), 1);
    const r1 = find("R1");
    const r2 = find("R2");
    return html`<figure class="line" aria-label=${t("line.label")}>
        <div class=${`line-labels rows-${Math.min(rows, 6)}`}>${placed.map((mark) => html`<span key=${mark.label} class=${`line-mark row-${mark.row}`} style=${{ left: `${mark.share * 100}%` }}
            title=${t(`mark.${mark.label}`)}>${mark.label}</span>`)}</div>
        <div class="line-track">
            ${r0 !== undefined && html`<span class="line-outage" style=${{ ...left(r0), width: `${(share(end) - share(r0)) * 100}%` }}></span>`}
            ${r1 !== undefined && r2 !== undefined && (run.human_wait_ms ?? 0) > 0 && html`<span class="line-human" title=${t("line.human")}
                style=${{ ...left(r1), width: `${Math.max(0, share(r2) - share(r1)) * 100}%` }}></span>`}
            ${placed.map((mark) => html`<span key=${mark.label} class="line-dot" style=${{ left: `${mark.share * 100}%` }}></span>`)}
            ${target !== null && target < to && html`<span class="line-target" style=${left(target)}><span>${t("line.target", { target: duration(run.rto_target_ms) })}</span></span>`}
            ${!has_ended(run) && html`<span class="line-now" style=${left(now)}></span>`}
        </div>
        <dl class="marks">${["R0", "R1", "R2", "R3", "R4", "R5"].map((label) => {
            const at = find(label);
            return html`<div key=${label} class=${at === undefined ? "unreached" : ""} data-mark=${label}><dt><b>${label}</b> ${t(`mark.${label}`)}</dt>
                <dd class="number">${at === undefined ? "–" : label === "R0" ? wall_time(at, { ms: true }) : `${at < origin ? "−" : "+"}${stopwatch(Math.abs(at - origin))}`}</dd></div>`;
        })}</dl>
    </figure>`;
}

/** @param {{run: Run}} props */
function Steps({ run }) {
    const now = server_now();
    const { from, to } = work_span_of(run, now);
    const steps = run.steps ?? [];
    return html`<section class="steps" aria-labelledby="steps-title"><h2 id="steps-title">${t("steps.title")}</h2>
        <ol>${steps.map((step) => html`<${StepRow} key=${step.id} step=${step} from=${from} to=${to} now=${now} origin=${origin_of(run)} />`)}</ol>
        ${steps.length === 0 && html`<p class="faint">${t("steps.none")}</p>`}
    </section>`;
}

/** @param {{step: Step, from: number, to: number, now: number, origin: number}} props */
function StepRow({ step, from, to, now, origin }) {
    const state = step.state.toLowerCase();
    const tone = tone_of(state);
    const start = time_of(step.started_wall);
    const end = time_of(step.ended_wall) ?? (start !== null && tone === "busy" ? now : start);
    const bar = start === null || end === null ? null : {
        left: `${((start - from) / (to - from)) * 100}%`,
        width: `${Math.max(0.6, ((end - start) / (to - from)) * 100)}%`,
    };
    const [open, set_open] = useState(false);
    // A step that has no machines of its own has one target without a name: it says what the step says.
    const targets = step.targets.filter((target) => target.name);
    const more = step.output || targets.length > 0;
    return html`<li class=${`step tone-${tone}`} data-step=${step.id} data-state=${state}>
        <div class="step-head"><${Shape} tone=${tone} /><strong>${titled(step.title, step.id)}</strong>
            <span class="step-state">${t_or(`step.${state}`, step.state)}${step.tries > 1 ? ` · ${t("step.tries", { n: step.tries })}` : ""}</span>
            <span class="number step-time">${start === null ? "" : html`+${stopwatch(start - origin)} · ${duration((end ?? start) - start)}`}</span></div>
        <div class="step-bar" aria-hidden="true">${bar && html`<span style=${bar}></span>`}</div>
        <div class="step-foot"><code>${step.action}</code>
            ${more && html`<button type="button" class="quiet small" aria-expanded=${open || tone === "bad"} onClick=${() => set_open(!open)}>${t("step.output")}</button>`}</div>
        ${more && (open || tone === "bad") && html`<div class="step-more">
            ${targets.map((target) => html`<div key=${target.name}><${Tag} tone=${tone_of(target.state)}>${target.name} · ${t_or(`step.${target.state.toLowerCase()}`, target.state)}</${Tag}>
                ${target.output && html`<pre>${target.output}</pre>`}</div>`)}
            ${step.output && html`<pre>${step.output}</pre>`}</div>`}
    </li>`;
}

/** @param {{run: Run}} props */
function Recorder({ run }) {
    const origin = origin_of(run);
    const entries = entries_of(run);
    return html`<section class="recorder" aria-labelledby="recorder-title"><h2 id="recorder-title">${t("recorder.title")}</h2>
        <ol>${entries.map((entry, index) => html`<li key=${index} class=${entry.kind}>
            <time class="number" title=${wall_time(entry.at, { date: true, ms: true })}>${entry.at < origin ? "−" : "+"}${stopwatch(Math.abs(entry.at - origin))}</time>
            ${entry.kind === "mark" ? html`<span><b>${entry.mark}</b> ${t(`mark.${entry.mark}`)}</span>`
                : html`<span class=${entry.kind === "end" ? `tone-${tone_of(entry.step?.state)}` : ""}>${titled(entry.step?.title, entry.step?.id)}
                    · ${entry.kind === "start" ? t("recorder.sent") : t_or(`step.${entry.step?.state.toLowerCase()}`, entry.step?.state)}</span>`}
        </li>`)}</ol>
        ${entries.length === 0 && html`<p class="faint">${t("recorder.none")}</p>`}
    </section>`;
}

/** @param {{run: Run}} props */
function RunFacts({ run }) {
    /** @type {[string, any][]} */
    const facts = [
        ["fact.rto", run.rto_ms === null || run.rto_ms === undefined ? t("fact.not_measured") : duration(run.rto_ms)],
        ["fact.rto_without_human", run.rto_without_human_ms === null || run.rto_without_human_ms === undefined ? "–" : duration(run.rto_without_human_ms)],
        ["fact.human_wait", run.human_wait_ms ? duration(run.human_wait_ms) : t("fact.none")],
        ["fact.target", run.rto_target_ms ? duration(run.rto_target_ms) : "–"],
        ["fact.mode", t_or(`mode.${run.mode}`, run.mode)],
        ["fact.ended", wall_time(run.ended_wall, { date: true })],
        ["fact.id", html`<code>${run.id}</code>`],
        ["fact.fence", run.fence ? html`<code>${run.fence.generation}.${run.fence.revision}</code>` : "–"],
        ["fact.hash", html`<code>${(run.hash ?? "–").slice(0, 16)}</code>`],
    ];
    const warnings = run.warnings ?? [];
    return html`<section class="run-facts">
        ${warnings.length > 0 && html`<ul class="problems">${warnings.map((warning, index) => html`<li key=${index}><${Shape} tone="warn" />
            ${typeof warning === "string" ? warning : t_or(`warning.${warning.code}`, warning.text, warning.params)}</li>`)}</ul>`}
        <dl>${facts.map(([key, value]) => html`<div key=${key}><dt>${t(key)}</dt><dd>${value}</dd></div>`)}</dl>
    </section>`;
}
