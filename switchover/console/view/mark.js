// SPDX-License-Identifier: Apache-2.0
// State as colour, shape and word together: none of the three has to be seen for the others to tell.
import { html } from "htm/preact";

/** @type {Record<string, string>} */
const kTones = {
    ok: "ok", up: "ok", good: "ok", done: "ok", succeeded: "ok", active: "ok", in: "ok",
    suspect: "warn", stuck: "warn", stale: "warn", succeeded_warn: "warn", warning: "warn", silent: "warn",
    flapping: "warn", minor: "warn",
    failed: "bad", down: "bad", timed_out: "bad", lost: "bad", refused: "bad", critical: "bad", major: "bad",
    rolling_back: "warn",
    recovering: "busy", running: "busy", dispatched: "busy", verifying: "busy", precheck: "busy", would_start: "busy",
    accepted: "busy",
    paused_step_failed: "hold", paused_operator: "hold", await_approval: "hold", out: "hold", drain: "hold",
    held: "hold", offered: "bad", maint: "hold",
    pending: "idle", skipped: "idle", cancelled: "idle", idle: "idle", waiting: "idle", draft: "idle",
    rolled_back: "idle", info: "idle",
};

/** @param {string | undefined} state */
export function tone_of(state) { return kTones[(state ?? "").toLowerCase()] ?? "unknown"; }

/** @type {Record<string, () => any>} */
const kShapes = {
    ok: () => html`<circle cx="12" cy="12" r="10" class="fill" /><path d="M7 12.4l3.4 3.4L17 9" class="cut" />`,
    warn: () => html`<path d="M12 2.4L22.6 21H1.4z" class="fill" /><path d="M12 9v5.4M12 17.2v.6" class="cut" />`,
    bad: () => html`<path d="M7.9 2h8.2L22 7.9v8.2L16.1 22H7.9L2 16.1V7.9z" class="fill" /><path d="M8 8l8 8M16 8l-8 8" class="cut" />`,
    busy: () => html`<circle cx="12" cy="12" r="9" class="line" /><path d="M12 3a9 9 0 0 1 0 18z" class="fill" />`,
    hold: () => html`<rect x="2.5" y="2.5" width="19" height="19" rx="4" class="fill" /><path d="M9 8v8M15 8v8" class="cut" />`,
    idle: () => html`<circle cx="12" cy="12" r="8.5" class="line" />`,
    unknown: () => html`<path d="M12 2.2L21.8 12 12 21.8 2.2 12z" class="line" /><path d="M9.8 10a2.3 2.3 0 1 1 3.2 2.1c-.7.3-1 .7-1 1.4M12 16.2v.5" class="thin" />`,
};

/** @param {{tone: string, large?: boolean}} props */
export function Shape({ tone, large }) {
    const draw = kShapes[tone] ?? kShapes.unknown;
    return html`<svg class=${`shape tone-${tone} ${large ? "large" : ""}`} viewBox="0 0 24 24" aria-hidden="true">${draw()}</svg>`;
}

/** @param {{tone: string, children?: any, strong?: boolean, title?: string}} props */
export function Tag({ tone, children, strong, title }) {
    return html`<span class=${`tag tone-${tone} ${strong ? "strong" : ""}`} title=${title}>
        <${Shape} tone=${tone} /><span>${children}</span></span>`;
}
