// SPDX-License-Identifier: Apache-2.0
// Why a scenario would start, or why not: every gate with the value it judged, its age and its source.
import { html } from "htm/preact";
import { age_now, duration } from "../state/clock.js";
import { t, t_or, titled, has_text } from "../i18n/catalogue.js";
import { Shape } from "./mark.js";

/** @import { Gate, Why } from "../types.js" */

/** The claim that a gate makes. @param {string} code @param {string} otherwise */
export function gate_claim(code, otherwise) { return t_or(`gate.${code}`, otherwise || code); }

/** Conditions of the scenario itself carry their text, "must hold: site.down(east)".
 *  @param {Gate} gate */
function expression_of(gate) {
    if (!["trigger", "require", "unless"].includes(gate.code)) return "";
    const at = gate.text.indexOf(": ");
    return at < 0 ? "" : gate.text.slice(at + 2);
}

/** Values in the server's fixed words are translated, the rest stands as it came. @param {string} value */
function value_text(value) {
    if (has_text(`value.${value}`)) return t(`value.${value}`);
    // "2 of 3 silent": the count is the same in every language, the rest may be a word of ours.
    const count = /^(\d+) of (\d+)(?: ([a-zA-Z ]+))?$/.exec(value);
    if (!count) return value;
    const rest = count[3] ? t_or(`value.${count[3]}`, count[3]) : "";
    return `${t("value.count", { a: count[1], b: count[2] })}${rest ? ` ${rest}` : ""}`;
}

/** @param {{why: Why, at: number}} props */
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
    const expression = expression_of(gate);
    const age = age_now(gate.age_ms ?? null, at);
    return html`<li class=${`gate ${gate.ok ? "" : "no"}`} data-gate=${gate.code}>
        <${Shape} tone=${tone} />
        <div><div class="gate-claim"><strong>${t(gate.ok ? "why.yes" : "why.no")}</strong> ${gate_claim(gate.code, gate.text)}
            ${expression && html` <code>${expression}</code>`}</div>
        <div class="gate-values">
            ${gate.have && html`<span>${t("why.have")} <b><bdi>${value_text(gate.have)}</bdi></b></span>`}
            ${gate.need && html`<span>${t("why.need")} <b><bdi>${value_text(gate.need)}</bdi></b></span>`}
            ${age !== null && html`<span class="faint number">${t("time.ago", { age: duration(age) })}</span>`}
            ${gate.source && html`<bdi class="faint">${gate.source}</bdi>`}
        </div></div></li>`;
}
