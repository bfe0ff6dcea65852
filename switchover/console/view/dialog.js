// SPDX-License-Identifier: Apache-2.0
// A modal question. The browser's own <dialog> keeps the focus inside and gives it back.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../state/api.js";
import { has_text, t } from "../i18n/catalogue.js";
import { Shape } from "./mark.js";

/** @param {{title: string, on_close: () => void, wide?: boolean, tone?: string, children?: any}} props */
export function Dialog({ title, on_close, wide, tone, children }) {
    const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
    useEffect(() => {
        const dialog = element.current;
        if (dialog && !dialog.open) dialog.showModal();
        return () => dialog?.close();
    }, []);
    return html`<dialog ref=${element} class=${`dialog ${wide ? "wide" : ""} ${tone ? `tone-${tone}` : ""}`} aria-labelledby="dialog-title"
        onCancel=${(/** @type {Event} */ event) => { event.preventDefault(); on_close(); }}>
        <header><h2 id="dialog-title">${title}</h2>
        <button type="button" class="quiet" aria-label=${t("action.close")} onClick=${on_close}>✕</button></header>
        ${children}
    </dialog>`;
}

/** What the server answered when it did not do it. @param {{problem: Problem | null}} props */
export function ProblemText({ problem }) {
    if (!problem) return null;
    const text = problem.status === 0
        ? t("problem.no_answer")
        : has_text(`rule.${problem.rule}`) ? t(`rule.${problem.rule}`)
        : has_text(`gate.${problem.rule}`) ? t("problem.not_true", { claim: t(`gate.${problem.rule}`) })
        : problem.message;
    return html`<div class="problem" role="alert"><${Shape} tone="bad" /><div>
        <strong>${problem.rule ? t("problem.refused_by", { rule: problem.rule }) : t("problem.refused")}</strong>
        <div>${text}</div>
        ${problem.message !== text && problem.status !== 0 && html`<div class="faint">${problem.message}</div>`}
    </div></div>`;
}

/** @param {unknown} error @returns {Problem} */
export function as_problem(error) {
    return error instanceof Problem ? error : new Problem(0, { detail: String(error) });
}

/** Runs what a form's button does: says that it is busy, keeps the refusal.
 *  @returns {{busy: boolean, problem: Problem | null, run: (work: () => Promise<void>) => Promise<void>}} */
export function useSubmission() {
    const [busy, set_busy] = useState(false);
    const [problem, set_problem] = useState(/** @type {Problem | null} */ (null));
    return {
        busy,
        problem,
        async run(work) {
            if (busy) return;
            set_busy(true);
            set_problem(null);
            try {
                await work();
            } catch (error) {
                set_problem(as_problem(error));
            } finally {
                set_busy(false);
            }
        },
    };
}

/** A question that takes a reason and does one thing.
 *  @param {{title: string, explain?: any, action: string, tone?: string, on_close: () => void,
 *           work: (reason: string) => Promise<unknown>, children?: any, reasonless?: boolean}} props */
export function ReasonDialog({ title, explain, action, tone, on_close, work, children, reasonless }) {
    const [reason, set_reason] = useState("");
    const { busy, problem, run } = useSubmission();
    const ready = reasonless || reason.trim() !== "";
    const submit = (/** @type {Event} */ event) => {
        event.preventDefault();
        if (!ready) return;
        void run(async () => {
            await work(reason.trim());
            on_close();
        });
    };
    return html`<${Dialog} title=${title} on_close=${on_close} tone=${tone}>
        <form onSubmit=${submit}>
            ${explain && html`<p>${explain}</p>`}
            ${children}
            ${!reasonless && html`<${ReasonField} value=${reason} on_value=${set_reason} focus=${true} />`}
            <${ProblemText} problem=${problem} />
            <footer><button type="button" onClick=${on_close}>${t("action.cancel")}</button>
            <button type="submit" class=${tone === "bad" ? "danger" : "primary"} disabled=${busy || !ready}>${action}</button></footer>
        </form>
    </${Dialog}>`;
}

/** @param {{value: string, on_value: (value: string) => void, focus?: boolean}} props */
export function ReasonField({ value, on_value, focus }) {
    const field = useRef(/** @type {HTMLInputElement | null} */ (null));
    useEffect(() => { if (focus) field.current?.focus(); }, []);
    return html`<label class="field"><span>${t("field.reason")}</span>
        <input ref=${field} name="reason" required maxlength="200" autocomplete="off" value=${value}
            onInput=${(/** @type {any} */ event) => on_value(event.target.value)} />
        <small>${t("field.reason_hint")}</small></label>`;
}
