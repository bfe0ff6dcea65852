// SPDX-License-Identifier: Apache-2.0
// The last look before traffic moves: what changes, what stands in the way, why, and the name typed.
import { html } from "htm/preact";
import { useMemo, useState } from "preact/hooks";
import { call } from "../state/api.js";
import { blocks_of } from "../state/blocking.js";
import { useTick } from "../state/cell.js";
import { duration } from "../state/clock.js";
import { take_run } from "../state/live.js";
import { go } from "../state/route.js";
import { site_name, t, titled } from "../i18n/catalogue.js";
import { Dialog, ProblemText, ReasonField, useSubmission } from "./dialog.js";
import { Shape } from "./mark.js";
import { start_word, useWhy } from "./scenario.js";
import { GateRow } from "./why.js";

/** @import { Overview, Scenario, Site, Gate } from "../types.js" */

/** @param {Site} site */
function share_word(site) {
    if (site.desired === "out" || site.desired === "drain") return t("change.held_out");
    return t(site.serving ? "change.answered" : "change.not_answered");
}

/** What will be different for users, site by site.
 *  @param {Scenario} scenario @param {Overview} all
 *  @returns {{name: string, before: string, after: string, changes: boolean}[]} */
export function changes_of(scenario, all) {
    if (!["site-down", "failback"].includes(scenario.kind)) return [];
    return all.sites.map((site) => {
        const own = site.name === scenario.site;
        const before = share_word(site);
        const after = scenario.kind === "site-down"
            ? t(own ? "change.held_out" : "change.answers_all")
            : t(own ? "change.answered_again" : "change.shares_again");
        return { name: site_name(site), before, after, changes: before !== after };
    });
}

/** A key for this one intention: pressed twice or sent twice, it starts one run. */
function intention() {
    if (crypto.randomUUID) return crypto.randomUUID();
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {{scenario: Scenario, all: Overview, on_close: () => void}} props */
export function ConfirmRun({ scenario, all, on_close }) {
    useTick(1000);
    const { why, at } = useWhy(scenario.name);
    const [reason, set_reason] = useState("");
    const [typed, set_typed] = useState("");
    const [overridden, set_overridden] = useState(/** @type {string[]} */ ([]));
    const [refused_gates, set_refused_gates] = useState(/** @type {Gate[]} */ ([]));
    const { busy, problem, run } = useSubmission();
    const key = useMemo(intention, []);
    const failback = scenario.kind === "failback";
    const blocks = blocks_of(why, scenario.kind, problem?.rule ?? "", refused_gates);
    const ready = reason.trim() !== "" && typed.trim() === scenario.name;

    const submit = (/** @type {Event} */ event) => {
        event.preventDefault();
        if (!ready) return;
        void run(async () => {
            const body = {
                scenario: scenario.name,
                reason: reason.trim(),
                ...(overridden.length ? { overrides: overridden.map((rule) => ({ rule, reason: reason.trim() })) } : {}),
            };
            try {
                // Another set of overrides is another question to the server, so another key.
                const started = await call("POST", "/api/v1/runs", body,
                    { "idempotency-key": [key, ...overridden].join(".").slice(0, 128) });
                take_run(started);
                on_close();
                go("runs", started.id);
            } catch (error) {
                if (error && typeof error === "object" && "gates" in error)
                    set_refused_gates(/** @type {{gates: Gate[]}} */ (error).gates);
                throw error;
            }
        });
    };
    const flip = (/** @type {string} */ code) => set_overridden((before) =>
        (before.includes(code) ? before.filter((each) => each !== code) : [...before, code]));

    return html`<${Dialog} title=${titled(scenario.title, scenario.name)} on_close=${on_close} wide=${true} tone=${failback ? "hold" : "bad"}>
        <form onSubmit=${submit} class="confirm" data-test="confirm">
            <${Changes} scenario=${scenario} all=${all} />
            <p class="faint">${t(failback ? "confirm.failback_note" : "confirm.switch_note")}
                ${scenario.worst_case_s ? ` ${t("confirm.at_most", { time: duration(scenario.worst_case_s * 1000) })}` : ""}</p>
            ${blocks.length > 0 ? html`<fieldset class="blocks"><legend>${t("confirm.blocks", { n: blocks.length })}</legend>
                <div class="blocks-list">${blocks.map((block) => html`<div class="block" key=${block.rule}>
                    <ul>${block.gates.map((gate, index) => html`<${GateRow} key=${index} gate=${gate} at=${at} />`)}</ul>
                    ${block.fixed ? html`<p class="override">${t("confirm.fixed")}</p>`
                        : html`<label class="override"><input type="checkbox" checked=${overridden.includes(block.rule)} onChange=${() => flip(block.rule)} />
                            ${t("confirm.override", { rule: block.rule })}</label>`}</div>`)}</div>
                <small>${t("confirm.override_note")}</small></fieldset>`
                : why && html`<p class="clear"><${Shape} tone="ok" />${t("confirm.clear")}</p>`}
            <${ReasonField} value=${reason} on_value=${set_reason} focus=${true} />
            <label class="field"><span>${t("confirm.type_name")} <code>${scenario.name}</code></span>
                <input name="name" autocomplete="off" autocapitalize="none" spellcheck=${false} value=${typed}
                    onInput=${(/** @type {any} */ event) => set_typed(event.target.value)} /></label>
            <${ProblemText} problem=${problem} />
            <footer><button type="button" onClick=${on_close}>${t("action.cancel")}</button>
                <button type="submit" class=${`big ${failback ? "primary" : "danger"}`} disabled=${!ready || busy} data-test="confirm-start">
                    ${start_word(scenario)}</button></footer>
        </form>
    </${Dialog}>`;
}

/** @param {{scenario: Scenario, all: Overview}} props */
function Changes({ scenario, all }) {
    const changes = changes_of(scenario, all);
    if (changes.length === 0) return html`<p>${t("confirm.no_preview")}</p>`;
    return html`<table class="changes"><caption>${t("confirm.changes")}</caption>
        <thead><tr><th scope="col">${t("change.site")}</th><th scope="col">${t("change.before")}</th><th aria-hidden="true"></th><th scope="col">${t("change.after")}</th></tr></thead>
        <tbody>${changes.map((change) => html`<tr key=${change.name} class=${change.changes ? "moves" : ""}>
            <th scope="row">${change.name}</th><td>${change.before}</td><td aria-hidden="true">→</td><td><strong>${change.after}</strong></td></tr>`)}</tbody>
    </table>`;
}
