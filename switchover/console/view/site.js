// SPDX-License-Identifier: Apache-2.0
// One site: does it serve, is it well, who says so, and its machines with their numbers.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { useTick } from "../state/cell.js";
import { age_now, duration, wall_time } from "../state/clock.js";
import { bytes, percent } from "../state/numbers.js";
import { address } from "../state/route.js";
import { site_name, t, t_or, told } from "../i18n/catalogue.js";
import { Shape, Tag, tone_of } from "./mark.js";

/** @import { Site, Host, Member, Process, Vote } from "../types.js" */

const kMachinesShown = 6;
const kProcessesShown = 6;
const kProblemsShown = 3;

/** @param {Site} site */
function role_of(site) {
    if (site.desired === "out") return { word: "site.held_out", tone: "hold" };
    if (site.desired === "drain") return { word: "site.draining", tone: "hold" };
    return site.serving ? { word: "site.serving", tone: "ok" } : { word: "site.not_serving", tone: "bad" };
}

/** @param {{site: Site, at: number, machines: Host[], heard_at: number}} props */
export function SiteCard({ site, at, machines, heard_at }) {
    useTick(1000);
    const tone = tone_of(site.state);
    const role = role_of(site);
    // Who sees what stands under the evidence.
    const problems = site.problems.filter((problem) => problem.code !== "observer");
    return html`<article class=${`site tone-${tone}`} data-site=${site.name} aria-labelledby=${`site-${site.name}`}>
        <header>
            <${Shape} tone=${tone} large=${true} />
            <div class="site-name"><h2 id=${`site-${site.name}`}>${site_name(site)}</h2>
                <div><strong class="state-word">${t_or(`state.${site.state.toLowerCase()}`, site.state)}</strong>
                ${Date.parse(site.since_wall ?? "") > 0 && html` <span class="faint">${t("site.since", { time: wall_time(site.since_wall) })}</span>`}
                ${site.flags.map((flag) => html` <${Tag} key=${flag} tone=${tone_of(flag)}>${t_or(`flag.${flag}`, flag)}</${Tag}>`)}</div>
            </div>
            <${Tag} tone=${role.tone} strong=${true}>${t(role.word)}</${Tag}>
        </header>
        ${problems.length > 0 && html`<ul class="problems">${problems.slice(0, kProblemsShown).map((problem) => html`
            <li key=${problem.code + problem.text}><${Shape} tone="warn" /><bdi>${told(`problem.${problem.code}`, problem.text, problem.params)}</bdi></li>`)}
            ${problems.length > kProblemsShown && html`<li class="faint">${t("processes.more", { n: problems.length - kProblemsShown })}</li>`}</ul>`}
        <dl class="facts">
            <div><dt>${t("site.evidence")}</dt><dd><${Evidence} site=${site} at=${at} /></dd></div>
            <div><dt>${t("site.members")}</dt><dd class="chips">${site.members.map((member) => html`<${MemberChip} key=${member.name} member=${member} at=${at} />`)}
                ${site.members.length === 0 && "–"}</dd></div>
        </dl>
        <${Machines} site=${site} machines=${machines} heard_at=${heard_at} />
    </article>`;
}

/** @param {{site: Site, at: number}} props */
function Evidence({ site, at }) {
    const { evidence } = site;
    const local = { ok: "ok", failed: "bad", silent: "warn" }[evidence.local] ?? "unknown";
    return html`<span class="chips">
        <span class="chip" title=${t("evidence.local_title")}><${Shape} tone=${local} />${t_or(`evidence.${evidence.local}`, evidence.local)}</span>
        ${evidence.votes.map((vote) => html`<${VoteChip} key=${vote.observer} vote=${vote} at=${at} />`)}
        <span class="faint">${t("evidence.votes", { have: evidence.have, need: evidence.need })}</span>
    </span>`;
}

/** @param {{vote: Vote, at: number}} props */
function VoteChip({ vote, at }) {
    const age = vote.age_ms === null || vote.age_ms === undefined ? "" : duration(age_now(vote.age_ms, at));
    return html`<span class="chip" title=${t("evidence.age", { age: age || "–" })}>
        <${Shape} tone=${tone_of(vote.sees)} /><bdi>${vote.observer}</bdi> ${t_or(`sees.${vote.sees}`, vote.sees)}</span>`;
}

/** @param {{member: Member, at: number}} props */
function MemberChip({ member, at }) {
    // Monitors hold no wanted state: for them `in_sync` does not apply.
    const behind = member.in_sync === false;
    const tone = !member.reachable ? "bad" : behind ? "warn" : "ok";
    const word = !member.reachable ? "member.unreachable" : behind ? "member.behind"
        : member.in_sync ? "member.in_sync" : "member.reachable";
    const age = duration(age_now(member.age_ms, at));
    return html`<span class="chip" title=${[member.kind, t("evidence.age", { age }), member.detail].filter(Boolean).join(" · ")}>
        <${Shape} tone=${tone} /><bdi>${member.name}</bdi> <span class="faint">${t(word)}</span></span>`;
}

/** @type {Record<string, number>} */
const kWorstFirst = { bad: 0, warn: 1, hold: 2, unknown: 3, busy: 4, idle: 5, ok: 6 };

/** @param {{site: Site, machines: Host[], heard_at: number}} props */
function Machines({ site, machines, heard_at }) {
    const [all, show_all] = useState(false);
    const sorted = [...machines].sort((a, b) =>
        kWorstFirst[tone_of(a.state)] - kWorstFirst[tone_of(b.state)] || a.name.localeCompare(b.name));
    const shown = all ? sorted : sorted.slice(0, kMachinesShown);
    const { ok, stale, total } = site.agents;
    return html`<div class="machines">
        <h3>${t("machines.title")} <span class="faint">${t("machines.count", { ok, total })}${stale ? ` · ${t("machines.stale", { n: stale })}` : ""}</span></h3>
        ${shown.map((host) => html`<${MachineRow} key=${host.id} host=${host} heard_at=${heard_at} />`)}
        ${machines.length === 0 && html`<p class="faint">${t("machines.none")}</p>`}
        ${sorted.length > shown.length && html`<button type="button" class="quiet" onClick=${() => show_all(true)}>
            ${t("machines.all", { n: sorted.length })}</button>`}
    </div>`;
}

/** @param {Host} host */
function fullest(host) {
    return host.disks.reduce((/** @type {Host["disks"][0] | null} */ worst, disk) =>
        (!worst || (disk.used_percent ?? -1) > (worst.used_percent ?? -1) ? disk : worst), null);
}

/** @param {{host: Host, heard_at: number}} props */
function MachineRow({ host, heard_at }) {
    const disk = fullest(host);
    const tone = host.stale && tone_of(host.state) === "ok" ? "warn" : tone_of(host.state);
    const idle = host.cpu?.idle;
    const age = age_now(host.age_ms, heard_at);
    const average = host.cpu?.idle_avg10s;
    return html`<a class=${`machine ${host.stale ? "old" : ""}`} href=${address("machines", host.site, host.name)} data-host=${host.id}>
        <span class="machine-name"><${Shape} tone=${tone} /><strong><bdi>${host.name}</bdi></strong>
            <span class="faint"><bdi>${t_or(`kind.${host.kind}`, host.kind)}</bdi></span>
            <span class="machine-state">${t_or(`state.${host.state.toLowerCase()}`, host.state)}</span>
            <span class=${`number age ${host.stale ? "tone-warn" : "faint"}`}>${age === null ? t("machines.never")
                : `${host.stale ? `${t("flag.stale")} ` : ""}${t("time.ago", { age: duration(age) })}`}</span></span>
        <span class="machine-meters">
            <${Meter} label=${t("meter.cpu_idle")} used=${idle === null || idle === undefined ? null : 100 - idle}
                text=${percent(idle)} more=${average === undefined || average === null ? "" : t("meter.average", { value: percent(average) })} />
            <${Meter} label=${t("meter.memory")} used=${host.memory?.used_percent ?? null} text=${percent(host.memory?.used_percent)}
                more=${host.memory ? t("meter.of", { value: bytes(host.memory.max_bytes) }) : ""} />
            <${Meter} label=${disk ? t("meter.disk", { mount: disk.mount }) : t("meter.disk_none")} used=${disk?.used_percent ?? null}
                text=${percent(disk?.used_percent)} more=${disk ? t("meter.of", { value: bytes(disk.size_bytes) }) : ""} />
        </span>
        ${host.processes.length > 0 && html`<span class=${`machine-processes ${host.stale ? "faint" : ""}`}>${host.processes.slice(0, kProcessesShown).map((process) => html`
            <${ProcessWord} key=${process.name} process=${process} stale=${host.stale} />`)}
            ${host.processes.length > kProcessesShown && html`<span class="faint">${t("processes.more", { n: host.processes.length - kProcessesShown })}</span>`}</span>`}
    </a>`;
}

/** Of what the agent reports and what the judge holds, the worse word.
 *  @param {{process: Process, stale: boolean, nameless?: boolean}} props */
export function ProcessWord({ process, stale, nameless }) {
    const said = (process.reported ?? process.state).toLowerCase();
    const judged = process.state.toLowerCase();
    const word = kWorstFirst[tone_of(judged)] < kWorstFirst[tone_of(said)] && judged !== "unknown" ? judged : said;
    return html`<span><${Shape} tone=${stale ? "unknown" : tone_of(word)} />${!nameless && html`<bdi>${process.name}</bdi>`} ${t_or(`process.${word}`, word)}</span>`;
}

/** The fuller, the nearer to trouble, whatever it measures. Null: not known.
 *  @param {{label: string, used: number | null, text: string, more?: string}} props */
export function Meter({ label, used, text, more }) {
    const level = used === null ? "none" : used >= 95 ? "bad" : used >= 85 ? "warn" : "ok";
    return html`<span class="meter"><span class="meter-label">${label}</span>
        <span class="meter-value"><strong class="number">${text}</strong> <span class="faint number">${more}</span></span>
        <span class=${`meter-bar level-${level}`} aria-hidden="true"><span style=${{ width: `${Math.min(100, Math.max(0, used ?? 0))}%` }}></span></span></span>`;
}
