// SPDX-License-Identifier: Apache-2.0
// A scenario: may it start, why or why not, and the button that starts it.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { call, get, part } from "../state/api.js";
import { useTick } from "../state/cell.js";
import { duration } from "../state/clock.js";
import { shown_verdict } from "../state/blocking.js";
import { may_act } from "../state/session.js";
import { t, t_or, titled } from "../i18n/catalogue.js";
import { ConfirmRun } from "./confirm.js";
import { ReasonDialog } from "./dialog.js";
import { Shape, tone_of } from "./mark.js";
import { gate_claim, WhyPanel } from "./why.js";

/** @import { Overview, Scenario, Why } from "../types.js" */

const kModes = ["auto", "semi", "off"];

/** @param {Scenario} scenario */
export function start_word(scenario) {
    return scenario.kind === "failback" ? t("action.fail_back") : t("action.switch_now");
}

/** @param {{scenario: Scenario, all: Overview, big?: boolean}} props */
export function SwitchButton({ scenario, all, big }) {
    const [asking, ask] = useState(false);
    const busy = all.runs.active.some((run) => run.scenario === scenario.name) || scenario.verdict === "running";
    const offered = shown_verdict(scenario) === "offered";
    const look = offered ? "danger" : "primary outline";
    return html`<button type="button" class=${`${scenario.kind === "failback" && offered ? "primary" : look} ${big ? "big" : ""}`}
            disabled=${busy || !may_act()} title=${may_act() ? "" : t("action.not_your_role")}
            data-test=${`start-${scenario.name}`} onClick=${() => ask(true)}>${start_word(scenario)}</button>
        ${asking && html`<${ConfirmRun} scenario=${scenario} all=${all} on_close=${() => ask(false)} />`}`;
}

/** @param {Scenario} scenario @param {string} verdict */
function verdict_more(scenario, verdict) {
    const back_waits = verdict === "waiting" && scenario.kind === "failback";
    if ((verdict === "held" || back_waits) && scenario.blocked_by.length > 0)
        return t("verdict.held_by", { rules: scenario.blocked_by.map((code) => gate_claim(code, code).replace(/[:：]$/, "")).join(t("list.comma")) });
    if (verdict === "idle" && scenario.blocked_by.includes("already-so"))
        return t(scenario.kind === "failback" ? "verdict.idle.in" : "verdict.idle.out");
    if (verdict === "offered" && scenario.kind === "failback") return t("verdict.offered.back");
    return t_or(`verdict.${verdict}.more`, "\u200b");
}

/** @param {{scenario: Scenario, all: Overview, open: boolean}} props */
export function ScenarioCard({ scenario, all, open }) {
    const [shown, show] = useState(open);
    const verdict = shown_verdict(scenario);
    const offered = verdict === "offered";
    // A way back that is offered is no alarm.
    const tone = offered && scenario.kind === "failback" ? "hold" : tone_of(verdict);
    const title = titled(scenario.title, scenario.name);
    return html`<article class=${`scenario ${offered ? `offered tone-${tone}` : ""}`} data-scenario=${scenario.name}>
        <header><h3>${title}</h3><${ModeChoice} scenario=${scenario} /></header>
        <p class=${`verdict tone-${tone}`}><${Shape} tone=${tone} /><span><strong>${t_or(`verdict.${verdict}`, verdict)}</strong>${" "}
            <span class="verdict-more">${verdict_more(scenario, verdict)}</span></span></p>
        ${scenario.effective_mode !== scenario.mode && html`<p class="faint">${t("mode.forced", {
            mode: t_or(`mode.${scenario.mode}`, scenario.mode), effective: t_or(`mode.${scenario.effective_mode}`, scenario.effective_mode) })}</p>`}
        <div class="buttons">
            <${SwitchButton} scenario=${scenario} all=${all} />
            <button type="button" class="quiet" aria-expanded=${shown} data-test=${`why-${scenario.name}`}
                onClick=${() => show(!shown)}>${t(shown ? "why.hide" : "why.show")}</button>
            <${Budget} scenario=${scenario} />
        </div>
        ${shown && html`<${WhyLoader} name=${scenario.name} />`}
    </article>`;
}

/** @param {{scenario: Scenario}} props */
function Budget({ scenario }) {
    const { worst_case_s: worst, rto_target_s: target } = scenario;
    if (worst === null || worst === undefined) return null;
    const fits = !target || worst <= target;
    return html`<p class="budget number" title=${t("budget.title")}><${Shape} tone=${fits ? "ok" : "warn"} />
        ${target ? t(fits ? "budget.fits" : "budget.exceeds", { worst: duration(worst * 1000), target: duration(target * 1000) })
            : t("budget.worst", { worst: duration(worst * 1000) })}</p>`;
}

/** @param {{scenario: Scenario}} props */
function ModeChoice({ scenario }) {
    const [wanted, want] = useState("");
    const title = titled(scenario.title, scenario.name);
    return html`<div class="segments" role="group" aria-label=${t("mode.of", { title })}>
        ${kModes.map((mode) => html`<button type="button" key=${mode} aria-pressed=${scenario.mode === mode}
            disabled=${!may_act()} onClick=${() => { if (mode !== scenario.mode) want(mode); }}>${t(`mode.${mode}`)}</button>`)}
        ${wanted && html`<${ReasonDialog} title=${t("mode.change_title", { title })} explain=${t(`mode.${wanted}.explain`)}
            action=${t("mode.change", { mode: t(`mode.${wanted}`) })} on_close=${() => want("")}
            work=${(/** @type {string} */ reason) => call("PUT", `/api/v1/scenarios/${part(scenario.name)}/mode`, { mode: wanted, reason })} />`}
    </div>`;
}

/** Asks for the reasons while they are looked at, each 2 s. @param {string} name
 *  @returns {{why: Why | null, at: number, failed: boolean}} */
export function useWhy(name) {
    const [state, set_state] = useState(/** @type {{why: Why | null, at: number, failed: boolean}} */ ({ why: null, at: 0, failed: false }));
    useEffect(() => {
        let gone = false;
        const ask = async () => {
            try {
                const why = await get(`/api/v1/scenarios/${part(name)}/why`);
                if (!gone) set_state({ why, at: performance.now(), failed: false });
            } catch {
                if (!gone) set_state((before) => ({ ...before, failed: true }));
            }
        };
        void ask();
        const timer = setInterval(ask, 2000);
        return () => {
            gone = true;
            clearInterval(timer);
        };
    }, [name]);
    return state;
}

/** @param {{name: string}} props */
function WhyLoader({ name }) {
    useTick(1000);
    const { why, at, failed } = useWhy(name);
    if (!why) return html`<p class="faint">${t(failed ? "why.unavailable" : "why.loading")}</p>`;
    return html`<${WhyPanel} why=${why} at=${at} />`;
}
