// SPDX-License-Identifier: Apache-2.0
// A run as a flight recorder has it: marks, steps and pauses on one line of time. Pure.
/** @import { Run, Step } from "../types.js" */

/** @typedef {{label: string, at: number}} Mark */
/** @typedef {{at: number, kind: "mark" | "start" | "end", mark?: string, step?: Step}} Entry */

export const kMarks = ["r0", "r1", "r2", "r3", "r4", "r5"];

/** @param {string | null | undefined} wall @returns {number | null} */
export function time_of(wall) {
    const at = wall ? Date.parse(wall) : Number.NaN;
    return Number.isNaN(at) ? null : at;
}

/** @param {Run} run @returns {Mark[]} those that were reached, in the order R0 to R5 */
export function marks_of(run) {
    return kMarks.flatMap((name) => {
        const at = time_of(/** @type {Record<string, string | null | undefined>} */ (run.marks ?? {})[`${name}_wall`]);
        return at === null ? [] : [{ label: name.toUpperCase(), at }];
    });
}

/** @param {Run} run */
export function has_ended(run) {
    return time_of(run.ended_wall) !== null
        || /^(succeeded|failed|cancelled|timed_out)/.test(run.state.toLowerCase());
}

/** Where the clock starts: the last good answer, else the run's own start. @param {Run} run */
export function origin_of(run) {
    return marks_of(run).find((mark) => mark.label === "R0")?.at ?? time_of(run.started_wall) ?? 0;
}

/** What the big clock shows. `counting`: users wait, it runs. `kind`: an outage, or just the run's length.
 *  @param {Run} run @param {number} now @returns {{ms: number, counting: boolean, kind: "rto" | "length"}} */
export function clock_of(run, now) {
    const marks = marks_of(run);
    const start = marks.find((mark) => mark.label === "R0")?.at;
    const end = marks.find((mark) => mark.label === "R5")?.at;
    if (run.rto_ms !== null && run.rto_ms !== undefined) return { ms: run.rto_ms, counting: false, kind: "rto" };
    if (start !== undefined && end !== undefined) return { ms: end - start, counting: false, kind: "rto" };
    const over = has_ended(run);
    if (start !== undefined)
        return { ms: (over ? time_of(run.ended_wall) ?? now : now) - start, counting: !over, kind: "rto" };
    const began = time_of(run.started_wall) ?? now;
    return { ms: (time_of(run.ended_wall) ?? now) - began, counting: !over, kind: "length" };
}

/** First and last instant to draw. @param {Run} run @param {number} now */
export function span_of(run, now) {
    const from = Math.min(origin_of(run), time_of(run.started_wall) ?? Number.POSITIVE_INFINITY);
    const target = marks_of(run).some((mark) => mark.label === "R0") ? run.rto_target_ms ?? 0 : 0;
    const last = Math.max(
        ...marks_of(run).map((mark) => mark.at),
        ...(run.steps ?? []).map((step) => time_of(step.ended_wall) ?? 0),
        time_of(run.ended_wall) ?? now,
    );
    // The target is drawn when it is near enough not to squeeze what happened into a corner.
    const length = Math.max(last - from, 1000);
    const to = target && target < length * 4 ? Math.max(last, from + target) : last;
    return { from, to: Math.max(to, from + 1000) + length * 0.04 };
}

/** The time in which steps were at work. @param {Run} run @param {number} now */
export function work_span_of(run, now) {
    const starts = (run.steps ?? []).flatMap((step) => time_of(step.started_wall) ?? []);
    const from = starts.length ? Math.min(...starts) : origin_of(run);
    const ends = (run.steps ?? []).flatMap((step) => time_of(step.ended_wall) ?? []);
    const to = has_ended(run) ? Math.max(from, ...ends) : Math.max(now, ...ends);
    return { from, to: Math.max(to, from + 500) };
}

/** Everything that happened, in order. @param {Run} run @returns {Entry[]} */
export function entries_of(run) {
    /** @type {Entry[]} */
    const entries = marks_of(run).map((mark) => ({ at: mark.at, kind: "mark", mark: mark.label }));
    for (const step of run.steps ?? []) {
        const start = time_of(step.started_wall);
        const end = time_of(step.ended_wall);
        if (start !== null) entries.push({ at: start, kind: "start", step });
        if (end !== null) entries.push({ at: end, kind: "end", step });
    }
    const order = { mark: 0, start: 1, end: 2 };
    return entries.sort((a, b) => a.at - b.at || order[a.kind] - order[b.kind]);
}

/** Rows for labels, so that marks close together do not write over each other.
 *  @param {{label: string, share: number}[]} marks share: 0..1 along the line @param {number} gap
 *  @returns {{label: string, share: number, row: number}[]} */
export function rows_of(marks, gap) {
    /** @type {number[]} */
    const last = [];
    return [...marks].sort((a, b) => a.share - b.share).map((mark) => {
        let row = last.findIndex((share) => mark.share - share >= gap);
        if (row < 0) row = last.length;
        last[row] = mark.share;
        return { ...mark, row };
    });
}
