// SPDX-License-Identifier: Apache-2.0
// One machine: its numbers now, over time, and where they come from.
import { html } from "htm/preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { get, part } from "../state/api.js";
import { useCell, useTick } from "../state/cell.js";
import { age_now, duration, server_now, wall_time } from "../state/clock.js";
import { hosts } from "../state/live.js";
import { bytes, percent } from "../state/numbers.js";
import { t, t_or } from "../i18n/catalogue.js";
import { Chart } from "./chart.js";
import { Dialog } from "./dialog.js";
import { Shape, Tag, tone_of } from "./mark.js";
import { Meter, ProcessWord } from "./site.js";

/** @import { Host, Trouble } from "../types.js" */

const kRanges = [
    { key: "range.15m", seconds: 900, refresh_ms: 5_000 },
    { key: "range.1h", seconds: 3_600, refresh_ms: 15_000 },
    { key: "range.24h", seconds: 86_400, refresh_ms: 60_000 },
];
const kLines = [
    { metric: "cpu.idle", label: "chart.cpu_idle", colour: "--chart-1" },
    { metric: "cpu.idle_avg1m", label: "chart.cpu_idle_avg1m", colour: "--chart-2" },
    { metric: "memory.used_percent", label: "chart.memory_used", colour: "--chart-3" },
];

/** @typedef {{metric: string, points: [number, number][]}} History */

/** @param {string} id SITE/NAME @param {number} seconds @param {number} refresh_ms */
function useHistory(id, seconds, refresh_ms) {
    const [state, set_state] = useState(/** @type {{lines: History[], at: number, failed: boolean}} */ ({ lines: [], at: 0, failed: false }));
    useEffect(() => {
        let gone = false;
        const path = id.split("/").map(part).join("/");
        const ask = async () => {
            try {
                const lines = await Promise.all(kLines.map(({ metric }) =>
                    get(`/api/v1/hosts/${path}/history?metric=${part(metric)}&since_s=${seconds}`)));
                if (!gone) set_state({ lines, at: server_now(), failed: false });
            } catch {
                if (!gone) set_state((before) => ({ ...before, failed: true }));
            }
        };
        void ask();
        const timer = setInterval(ask, refresh_ms);
        return () => {
            gone = true;
            clearInterval(timer);
        };
    }, [id, seconds, refresh_ms]);
    return state;
}

/** In a large fleet the stream tells only some machines; the others are asked for.
 *  @param {string} id @param {boolean} needed @returns {{value: Host, at: number} | null} */
function useHost(id, needed) {
    const [state, set_state] = useState(/** @type {{value: Host, at: number} | null} */ (null));
    useEffect(() => {
        if (!needed) return undefined;
        const ask = () => get(`/api/v1/hosts/${id.split("/").map(part).join("/")}`)
            .then((value) => set_state({ value, at: performance.now() }), () => {});
        void ask();
        const timer = setInterval(ask, 2_000);
        return () => clearInterval(timer);
    }, [id, needed]);
    return state;
}

/** @param {{id: string, on_close: () => void}} props */
export function MachinePanel({ id, on_close }) {
    useTick(1000);
    const timed = useCell(hosts);
    const told = timed?.value.find((each) => each.id === id);
    const asked = useHost(id, timed !== null && !told);
    const host = told ?? asked?.value;
    return html`<${Dialog} title=${host ? `${host.name} · ${host.site}` : id} on_close=${on_close} wide=${true}>
        ${host ? html`<${Machine} host=${host} at=${(told ? timed?.at : asked?.at) ?? 0} />` : html`<p>${t(timed ? "machine.unknown" : "why.loading")}</p>`}
    </${Dialog}>`;
}

/** @param {{host: Host, at: number}} props */
function Machine({ host, at }) {
    const tone = host.stale && tone_of(host.state) === "ok" ? "warn" : tone_of(host.state);
    const age = age_now(host.age_ms, at);
    return html`<div class="machine-panel" data-test="machine">
        <p class="machine-line"><${Tag} tone=${tone} strong=${true}>${t_or(`state.${host.state.toLowerCase()}`, host.state)}</${Tag}>
            <bdi>${t_or(`kind.${host.kind}`, host.kind)}</bdi>
            <span class=${host.stale ? "tone-warn" : "faint"}>${age === null ? t("machines.never") : t("machine.reported", { age: duration(age) })}
            ${host.stale ? ` · ${t("machine.stale")}` : ""}</span></p>
        <${Now} host=${host} />
        <${Past} id=${host.id} />
        <${Disks} host=${host} />
        <${Processes} host=${host} />
        <${Troubles} troubles=${host.collectors ?? []} at=${at} />
        <${Agent} host=${host} />
    </div>`;
}

/** @param {{host: Host}} props */
function Now({ host }) {
    const { cpu, memory } = host;
    const idle = cpu?.idle ?? null;
    return html`<div class="big-meters">
        <${Meter} label=${t("meter.cpu_idle_now")} used=${idle === null ? null : 100 - idle} text=${percent(idle, 1)}
            more=${cpu ? t("meter.cpu_more", { a: percent(cpu.idle_avg10s, 1), b: percent(cpu.idle_avg1m, 1), n: cpu.cpus ?? "–" }) : t("meter.missing")} />
        <${Meter} label=${t("meter.memory_used")} used=${memory?.used_percent ?? null} text=${percent(memory?.used_percent, 1)}
            more=${memory ? t("meter.used_of", { used: bytes(memory.used_bytes), max: bytes(memory.max_bytes) }) : t("meter.missing")} />
        <${Meter} label=${t("meter.iowait")} used=${cpu?.iowait ?? null} text=${percent(cpu?.iowait, 1)}
            more=${t("meter.steal", { value: percent(cpu?.steal, 1) })} />
    </div>`;
}

/** @param {{id: string}} props */
function Past({ id }) {
    const [range, set_range] = useState(0);
    const { key, seconds, refresh_ms } = kRanges[range];
    const { lines, at, failed } = useHistory(id, seconds, refresh_ms);
    const series = useMemo(() => lines.map((line, index) => ({
        label: t(kLines[index].label), colour: kLines[index].colour, points: line.points ?? [],
    })), [lines]);
    const empty = series.every((each) => each.points.length === 0);
    return html`<section><div class="chart-head"><h3>${t("chart.title")}</h3>
        <div class="segments" role="group" aria-label=${t("chart.range")}>${kRanges.map((each, index) => html`
            <button type="button" key=${each.key} aria-pressed=${index === range} onClick=${() => set_range(index)}>${t(each.key)}</button>`)}</div></div>
        ${failed && html`<p class="faint">${t("chart.unavailable")}</p>`}
        ${empty ? html`<p class="faint">${t(at ? "chart.empty" : "why.loading")}</p>`
            : html`<${Chart} key=${key} series=${series} span=${{ from: at - seconds * 1000, to: at }} label=${t("chart.title")} />`}
    </section>`;
}

/** @param {{host: Host}} props */
function Disks({ host }) {
    if (host.disks.length === 0) return null;
    return html`<table class="sheet"><caption>${t("disks.title")}</caption><thead><tr>
        <th scope="col">${t("disks.mount")}</th><th scope="col" class="right">${t("disks.used")}</th><th scope="col" class="right">${t("disks.free")}</th><th scope="col" class="right">${t("disks.size")}</th><th scope="col"></th></tr></thead>
        <tbody>${host.disks.map((disk) => html`<tr key=${disk.mount}><th scope="row"><code>${disk.mount}</code></th>
            <td class="number right">${percent(disk.used_percent)}</td><td class="number right">${bytes(disk.avail_bytes)}</td><td class="number right">${bytes(disk.size_bytes)}</td>
            <td>${disk.read_only ? html`<${Tag} tone="warn">${t("disks.read_only")}</${Tag}>` : ""}</td></tr>`)}</tbody></table>`;
}

/** @param {{host: Host}} props */
function Processes({ host }) {
    if (host.processes.length === 0) return null;
    return html`<table class="sheet"><caption>${t("processes.title")}</caption><thead><tr>
        <th scope="col">${t("processes.name")}</th><th scope="col">${t("processes.state")}</th><th scope="col" class="right">${t("processes.count")}</th><th scope="col" class="right">${t("processes.restarts")}</th></tr></thead>
        <tbody>${host.processes.map((process) => html`<tr key=${process.name}><th scope="row"><bdi>${process.name}</bdi></th>
            <td><${ProcessWord} process=${process} stale=${host.stale} nameless=${true} /> <bdi class="faint">${process.detail ?? ""}</bdi></td>
            <td class="number right">${process.count ?? "–"}</td><td class="number right">${process.restarts ?? "–"}</td></tr>`)}</tbody></table>`;
}

/** Numbers that could not be taken, and since when. @param {{troubles: Trouble[], at: number}} props */
function Troubles({ troubles, at }) {
    if (troubles.length === 0) return null;
    return html`<section><h3>${t("troubles.title")}</h3><ul class="problems">${troubles.map((trouble) => html`
        <li key=${trouble.collector + trouble.instance}><${Shape} tone="warn" /><span><bdi>${trouble.collector} ${trouble.instance}</bdi>
            · ${t_or(`trouble.${trouble.status}`, trouble.status)} · ${t("time.ago", { age: duration(age_now(trouble.age_ms, at)) })}
            <bdi class="faint">${trouble.detail}</bdi></span></li>`)}</ul></section>`;
}

/** @param {{host: Host}} props */
function Agent({ host }) {
    const agent = host.agent ?? {};
    const skew = agent.skew_ms;
    /** @type {[string, any][]} */
    const facts = [
        ["agent.version", host.version || "–"],
        ["agent.via", host.via.map((each) => t_or(`via.${each}`, each)).join(t("list.comma")) || "–"],
        ["agent.seq", host.seq ?? "–"],
        ["agent.memory", bytes(agent.rss_bytes)],
        ["agent.backlog", agent.backlog ?? "–"],
        ["agent.dropped", agent.dropped ?? "–"],
        ["agent.skew", skew === undefined || skew === null ? "–" : `${skew > 0 ? "+" : ""}${skew} ms`],
        ["agent.since", wall_time(host.since_wall, { date: true })],
    ];
    return html`<section><h3>${t("agent.title")}</h3><dl class="fact-grid">${facts.map(([key, value]) => html`
        <div key=${key}><dt>${t(key)}</dt><dd class="number"><bdi>${value}</bdi></dd></div>`)}</dl></section>`;
}
