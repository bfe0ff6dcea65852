// SPDX-License-Identifier: Apache-2.0
// Why a scenario would start, or why not: every gate with the value it judged, its age and its source.
import { html } from "htm/preact";
import { age_now, duration } from "../state/clock.js";
import { t, t_or, titled, has_text } from "../i18n/catalogue.js";
import { Shape } from "./mark.js";

/** @import { Gate, Why } from "../types.js" */

/** The claim that a gate makes; "site.down(east)" falls back to "site.down" with {a} = east.
 *  @param {string} code @param {string} otherwise */
export function gate_claim(code, otherwise) {
    const match = /^([^()]+)\(([^)]*)\)$/.exec(code);
    const name = match ? match[1] : code;
    const words = (match ? match[2] : "").split(",").map((word) => word.trim());
    const key = [`gate.${code}`, `gate.${name}`, `gate.${name.replace(/[._]/g, "-")}`].find(has_text);
    return key ? t(key, { a: words[0] ?? "", b: words[1] ?? "" }) : (otherwise || code);
}

/** Values that are words of ours are translated, the rest stands as it came. @param {string} value */
function value_text(value) {
    return /^[a-z_]+$/.test(value) ? t_or(`value.${value}`, value) : value;
}

/** @param {{why: Why, at: number, blind?: boolean}} props */
export function WhyPanel({ why, at }) {
    const said = typeof why.text === "string" ? why.text : titled(why.text);
    return html`<div class="why" data-test="why">
        ${said && html`<p>${said}</p>`}
        <${GateList} title=${t("why.trigger")} gates=${why.trigger} at=${at} />
        <${GateList} title=${t("why.require")} gates=${why.require} at=${at} />
        <${GateList} title=${t("why.gates")} gates=${why.gates} at=${at} />
    </div>`;
}

/** @param {{title: string, gates: Gate[], at: number}} props */
export function GateList({ title, gates, at }) {
    if (!gates || gates.length === 0) return null;
    const good = gates.filter((gate) => gate.ok).length;
    // What stands in the way comes first.
    const sorted = [...gates].sort((a, b) => Number(a.ok) - Number(b.ok));
    return html`<section class="gates"><h4>${title} <span class="faint number">${good}/${gates.length}</span></h4>
        <ul>${sorted.map((gate, index) => html`<${GateRow} key=${`${gate.code}${index}`} gate=${gate} at=${at} />`)}</ul></section>`;
}

/** @param {{gate: Gate, at: number}} props */
export function GateRow({ gate, at }) {
    const tone = gate.ok ? "ok" : "bad";
    const age = age_now(gate.age_ms ?? null, at);
    return html`<li class=${`gate ${gate.ok ? "" : "no"}`} data-gate=${gate.code}>
        <${Shape} tone=${tone} />
        <div><div class="gate-claim"><strong>${t(gate.ok ? "why.yes" : "why.no")}</strong> ${gate_claim(gate.code, gate.text)}</div>
        <div class="gate-values">
            ${gate.have && html`<span>${t("why.have")} <b>${value_text(gate.have)}</b></span>`}
            ${gate.need && html`<span>${t("why.need")} <b>${value_text(gate.need)}</b></span>`}
            ${age !== null && html`<span class="faint number">${t("time.ago", { age: duration(age) })}</span>`}
            ${gate.source && html`<span class="faint">${gate.source}</span>`}
        </div></div></li>`;
}
