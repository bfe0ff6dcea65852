// SPDX-License-Identifier: Apache-2.0
// What stands on every page: who leads, what automation may do, how old the data is, who is signed in.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { call } from "../state/api.js";
import { useCell, useTick } from "../state/cell.js";
import { duration, server_now, wall_time } from "../state/clock.js";
import { hosts, link, overview, runs } from "../state/live.js";
import { address, go, route } from "../state/route.js";
import { may_act, sign_out } from "../state/session.js";
import { t, t_or } from "../i18n/catalogue.js";
import { LanguageButton, ThemeButton, ZoneButton } from "./choices.js";
import { ReasonDialog } from "./dialog.js";
import { Shape } from "./mark.js";
import { MachinePanel } from "./machine_panel.js";
import { OverviewPage } from "./overview.js";
import { RunPage } from "./run.js";
import { RunsPage } from "./runs.js";

/** @import { Me, Overview, Pause } from "../types.js" */

const kOldMs = 6_000;

function data_age() {
    return overview.value ? performance.now() - overview.value.at : null;
}

/** How fresh the page is, always in sight. */
function Freshness() {
    useTick(500);
    const { mode } = useCell(link);
    const age = data_age();
    const old = age === null || age > kOldMs;
    const tone = old ? (mode === "connecting" ? "unknown" : "bad") : mode === "live" ? "ok" : "warn";
    const word = old ? (mode === "connecting" ? "connecting" : "old") : mode;
    return html`<span class=${`fresh tone-${tone}`} title=${t("fresh.title")} data-test="freshness">
        <${Shape} tone=${tone} /><span>${t(`fresh.${word}`)}</span>
        ${age !== null && html`<span class="number">${duration(age)}</span>`}
    </span>`;
}

function StaleBanner() {
    useTick(500);
    useCell(link);
    const age = data_age();
    const stale = age !== null && age > kOldMs;
    useEffect(() => { document.documentElement.classList.toggle("stale", stale); }, [stale]);
    useEffect(() => () => document.documentElement.classList.remove("stale"), []);
    if (!stale) return null;
    return html`<div class="banner tone-bad" role="alert"><${Shape} tone="bad" />
        <strong>${t("stale.title", { age: duration(age) })}</strong>
        <span>${t("stale.text", { time: wall_time(server_now() - age) })}</span></div>`;
}

/** @param {{pause: Pause | null}} props */
function PauseBanner({ pause }) {
    const [asking, ask] = useState(false);
    if (!pause) return null;
    return html`<div class="banner tone-hold"><${Shape} tone="hold" />
        <strong>${t("pause.title")}</strong>
        <span>${t("pause.text", { by: pause.by, since: wall_time(pause.since_wall), reason: pause.reason })}
        ${pause.until_wall ? ` ${t("pause.until", { until: wall_time(pause.until_wall) })}` : ""}</span>
        ${may_act() && html`<button type="button" onClick=${() => ask(true)}>${t("pause.end")}</button>`}
        ${asking && html`<${ReasonDialog} title=${t("pause.end_title")} explain=${t("pause.end_explain")}
            action=${t("pause.end")} on_close=${() => ask(false)} reasonless=${true}
            work=${() => call("DELETE", "/api/v1/pause")} />`}
    </div>`;
}

/** @param {Overview | undefined} all */
function mode_of(all) {
    if (!all) return { word: "unknown", tone: "unknown" };
    if (all.pause) return { word: "paused", tone: "hold" };
    if (all.blind.is) return { word: "blind", tone: "warn" };
    const modes = all.scenarios.filter((each) => each.kind !== "failback").map((each) => each.effective_mode);
    if (modes.includes("auto")) return { word: modes.every((mode) => mode === "auto") ? "auto" : "mixed", tone: "ok" };
    return modes.includes("semi") ? { word: "semi", tone: "hold" } : { word: "off", tone: "idle" };
}

/** @param {{all: Overview | undefined}} props */
function ModeSign({ all }) {
    const [asking, ask] = useState(false);
    const { word, tone } = mode_of(all);
    return html`<span class=${`mode-sign tone-${tone}`} data-test="mode"><${Shape} tone=${tone} />
            <span>${t("mode.label")}</span> <strong>${t(`mode.${word}`)}</strong></span>
        ${all && !all.pause && may_act() && html`<button type="button" class="quiet" onClick=${() => ask(true)}>${t("pause.start")}</button>`}
        ${asking && html`<${ReasonDialog} title=${t("pause.start_title")} explain=${t("pause.start_explain")}
            action=${t("pause.start")} on_close=${() => ask(false)}
            work=${(/** @type {string} */ reason) => call("PUT", "/api/v1/pause", { reason })} />`}`;
}

function WallClock() {
    useTick(1000);
    return html`<time class="number" data-test="clock">${wall_time(server_now())}</time>`;
}

/** @param {FocusEvent & {currentTarget: HTMLDetailsElement}} event */
function close_when_left(event) {
    const to = event.relatedTarget;
    if (to instanceof Node && !event.currentTarget.contains(to)) event.currentTarget.open = false;
}

/** @param {{all: Overview | undefined, who: Me}} props */
function TopBar({ all, who }) {
    const server = all?.server;
    const leader = server && t(server.leader ? "server.leads" : "server.follows");
    return html`<header class="topbar">
        <a class="brand" href="#/"><img src="icon.svg" alt="" width="24" height="24" /><span>Twinsite</span></a>
        <nav aria-label=${t("nav.label")}>
            <a href="#/" aria-current=${route.value.page === "overview" ? "page" : undefined}>${t("nav.overview")}</a>
            <a href="#/runs" aria-current=${route.value.page === "runs" ? "page" : undefined}>${t("nav.runs")}</a>
        </nav>
        <span class="topbar-mode"><${ModeSign} all=${all} /></span>
        <span class="grow"></span>
        ${server && html`<span class="faint server" title=${t("server.title", { version: server.version })}>
            ${server.node} · ${leader}${server.fence ? ` · ${server.fence.generation}.${server.fence.revision}` : ""}</span>`}
        <${Freshness} />
        <${WallClock} />
        <${ZoneButton} />
        <${LanguageButton} />
        <details class="menu" onFocusOut=${close_when_left}><summary title=${t("who.role")} data-test="who">${who.user}<span class="faint"> · ${t_or(`role.${who.role}`, who.role)}</span></summary>
            <div class="menu-box"><${ThemeButton} />
            <button type="button" class="quiet" data-test="sign-out" onClick=${() => void sign_out()}>${t("action.sign_out")}</button></div></details>
    </header>`;
}

/** @param {{who: Me}} props */
export function Shell({ who }) {
    const timed = useCell(overview);
    useCell(hosts);
    useCell(runs);
    const { page, words } = useCell(route);
    const all = timed?.value;
    const machine = page === "machines" && words.length === 2 ? `${words[0]}/${words[1]}` : "";
    const active = all?.runs.active[0]?.id ?? "";
    // One line for screen readers and the tab: what the big sentence says.
    useEffect(() => { document.title = t(`title.${page === "runs" ? "runs" : "overview"}`); });
    const body = !all ? html`<${Waiting} />`
        : page === "runs" && words[0] ? html`<${RunPage} id=${words[0]} all=${all} key=${words[0]} />`
        : page === "runs" ? html`<${RunsPage} active=${active} />`
        : html`<${OverviewPage} timed=${timed} open_why=${page === "scenarios" ? words[0] : ""} />`;
    return html`<a class="skip" href="#main" onClick=${skip}>${t("nav.skip")}</a>
        <${TopBar} all=${all} who=${who} />
        <${StaleBanner} />
        <${PauseBanner} pause=${all?.pause ?? null} />
        <main id="main" tabindex="-1">${body}</main>
        ${machine && all && html`<${MachinePanel} id=${machine} key=${machine} on_close=${() => go()} />`}
        <footer class="foot faint">${t("foot.text", { version: all?.server.version ?? "–" })} <a href=${address("runs")}>${t("nav.runs")}</a></footer>`;
}

/** @param {Event} event */
function skip(event) {
    event.preventDefault();
    document.getElementById("main")?.focus();
}

function Waiting() {
    useTick(1000);
    const { mode } = useCell(link);
    return html`<div class="waiting"><${Shape} tone="unknown" large=${true} />
        <h1>${t(mode === "lost" ? "waiting.lost" : "waiting.title")}</h1><p>${t("waiting.text")}</p></div>`;
}
