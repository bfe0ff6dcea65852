// SPDX-License-Identifier: Apache-2.0
// What the server tells, kept current: by its event stream, and by asking each 2 s while that is broken.
import { get, me } from "./api.js";
import { Cell } from "./cell.js";
import { learn_server_time } from "./clock.js";

/** @import { Overview, Host, Run, Link } from "../types.js" */

const kPollMs = 2_000;
const kSilentMs = 7_000;   // the server speaks at least each 2 s: three times that, and a bit
const kRetryMs = 2_500;
const kHangMs = 4_000;     // a poll or a new stream without an answer for so long is given up

/** @template T @typedef {{value: T, at: number}} Timed  `at` is performance.now() of its arrival */

/** @type {Cell<Timed<Overview> | null>} */
export const overview = new Cell(/** @type {Timed<Overview> | null} */ (null));
/** @type {Cell<Timed<Host[]> | null>} */
export const hosts = new Cell(/** @type {Timed<Host[]> | null} */ (null));
/** Runs that were told whole, by id. @type {Cell<Map<string, Run>>} */
export const runs = new Cell(new Map());
/** @type {Cell<Link>} */
export const link = new Cell(/** @type {Link} */ ({ mode: "connecting", at: performance.now() }));

/** @type {EventSource | null} */
let stream = null;
/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;
let last_try = 0;
let last_poll = 0;
let asking = false;

/** @param {Link["mode"]} mode */
function heard(mode) { link.set({ mode, at: performance.now() }); }

/** @param {Overview} value */
function take_overview(value) {
    learn_server_time(value.server.wall);
    overview.set({ value, at: performance.now() });
    for (const summary of value.runs.active) if (!runs.value.has(summary.id)) void fetch_run(summary.id).catch(() => {});
}
/** @param {{hosts: Host[]} | Host[]} value */
function take_hosts(value) {
    hosts.set({ value: Array.isArray(value) ? value : value.hosts, at: performance.now() });
}
/** A run as far as it is known: its steps as last told, the rest from the newest summary.
 *  @param {Run} summary @returns {Run} */
export function known_run(summary) {
    const known = runs.value.get(summary.id);
    return known && known.state === summary.state ? known : { ...summary, steps: summary.steps ?? known?.steps };
}

/** @param {Run} run */
export function take_run(run) { runs.set(new Map(runs.value).set(run.id, run)); }

/** @param {string} text @returns {any} */
function parsed(text) {
    try { return JSON.parse(text); } catch { return null; }
}

function open_stream() {
    last_try = performance.now();
    stream?.close();
    const mine = new EventSource("/api/v1/events");
    stream = mine;
    /** @param {string} name @param {(value: any) => void} take */
    const on = (name, take) => mine.addEventListener(name, (event) => {
        if (mine !== stream) return;
        const value = parsed(/** @type {MessageEvent} */ (event).data);
        if (value === null) return;
        take(value);
        heard("live");
    });
    on("overview", take_overview);
    on("hosts", take_hosts);
    on("run", take_run);
    // The browser itself comes back with Last-Event-ID; one that gave up is opened anew by `watch`.
    mine.onerror = () => { if (mine === stream && link.value.mode === "live") void poll(); };
}

async function poll() {
    if (asking) return;
    asking = true;
    last_poll = performance.now();
    try {
        take_overview(await get("/api/v1/overview", kHangMs));
        if (!(stream_is_open() && link.value.mode === "live") && !just_begun()) heard("polling");
        take_hosts(await get("/api/v1/hosts", kHangMs));
        for (const run of overview.value?.value.runs.active ?? [])
            take_run(await get(`/api/v1/runs/${encodeURIComponent(run.id)}`, kHangMs));
    } catch {
        if (silent() && link.value.mode !== "lost") link.set({ ...link.value, mode: "lost" });
    } finally {
        asking = false;
    }
}

function stream_is_open() { return stream?.readyState === EventSource.OPEN; }
/** The first stream is on its way: that the first answer came by asking means nothing. */
function just_begun() { return link.value.mode === "connecting" && performance.now() - link.value.at < kRetryMs; }
function silent() { return performance.now() - link.value.at > kSilentMs; }

function watch() {
    const now = performance.now();
    const broken = !stream_is_open() || link.value.mode !== "live" || silent();
    if (!broken) return;
    if (now - last_poll > kPollMs) void poll();
    const patience = stream?.readyState === EventSource.CONNECTING ? kHangMs : kRetryMs;
    if (now - last_try > patience) open_stream();
}

export function start_live() {
    stop_live();
    link.set({ mode: "connecting", at: performance.now() });
    void poll();
    open_stream();
    timer = setInterval(watch, 500);
}

export function stop_live() {
    clearInterval(timer);
    stream?.close();
    stream = null;
}

// Signed out, or the session is over: nothing of what was seen stays in the page.
me.watch((who) => {
    if (who && !who.must_change) {
        start_live();
        return;
    }
    stop_live();
    overview.set(null);
    hosts.set(null);
    runs.set(new Map());
});

/** A run with its steps, asked for when the stream has not told it. @param {string} id */
export async function fetch_run(id) { take_run(await get(`/api/v1/runs/${encodeURIComponent(id)}`)); }
