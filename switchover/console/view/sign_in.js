// SPDX-License-Identifier: Apache-2.0
// Sign-in, and the password that the person chooses after the one-time one.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Problem, me, session_ended } from "../state/api.js";
import { useCell } from "../state/cell.js";
import { kLeastPassword, set_password, sign_in, sign_out } from "../state/session.js";
import { t, t_or } from "../i18n/catalogue.js";
import { useSubmission } from "./dialog.js";
import { Shape } from "./mark.js";
import { LanguageButton, ThemeButton } from "./choices.js";

/** The password just used, so that it is not asked again where it has to be changed at once. */
let just_used = "";

/** @param {Problem | null} problem */
function sign_in_text(problem) {
    if (!problem) return "";
    if (problem.status === 0) return t("problem.no_answer");
    if (problem.status === 429) return t("login.too_often");
    if (problem.status === 401 || problem.status === 403) return t("login.wrong");
    return problem.message;
}

/** @param {{title: string, lead?: any, children?: any}} props */
function Gatehouse({ title, lead, children }) {
    useEffect(() => { document.title = `${title} · Twinsite`; }, [title]);
    return html`<main class="gatehouse">
        <div class="gatehouse-box">
            <div class="brand"><img src="icon.svg" alt="" width="36" height="36" /><span>Twinsite</span></div>
            <h1>${title}</h1>
            ${lead}
            ${children}
        </div>
        <div class="choices"><${LanguageButton} /><${ThemeButton} /></div>
    </main>`;
}

/** @param {{label: string, name: string, type?: string, auto: string, value: string, on_value: (value: string) => void, focus?: boolean, hint?: string}} props */
function Entry({ label, name, type = "text", auto, value, on_value, focus, hint }) {
    const field = useRef(/** @type {HTMLInputElement | null} */ (null));
    useEffect(() => { if (focus) field.current?.focus(); }, []);
    return html`<label class="field"><span>${label}</span>
        <input ref=${field} name=${name} type=${type} autocomplete=${auto} required maxlength="256" value=${value}
            autocapitalize="none" spellcheck=${false}
            onInput=${(/** @type {any} */ event) => on_value(event.target.value)} />
        ${hint && html`<small>${hint}</small>`}</label>`;
}

/** @param {{text: string}} props */
function Refusal({ text }) {
    return text ? html`<div class="problem" role="alert"><${Shape} tone="bad" /><div>${text}</div></div>` : null;
}

export function SignIn() {
    const [user, set_user] = useState("");
    const [password, set_typed] = useState("");
    const ended = useCell(session_ended);
    const { busy, problem, run } = useSubmission();
    const submit = (/** @type {Event} */ event) => {
        event.preventDefault();
        void run(async () => {
            just_used = password;
            await sign_in(user.trim(), password);
        });
    };
    const lead = ended
        ? html`<div class="notice" role="status"><${Shape} tone="hold" /><div>${t("login.ended")}</div></div>`
        : html`<p class="faint">${t("login.lead")}</p>`;
    return html`<${Gatehouse} title=${t("login.title")} lead=${lead}>
        <form onSubmit=${submit}>
            <${Entry} label=${t("login.user")} name="user" auto="username" value=${user} on_value=${set_user} focus=${true} />
            <${Entry} label=${t("login.password")} name="password" type="password" auto="current-password"
                value=${password} on_value=${set_typed} />
            <${Refusal} text=${sign_in_text(problem)} />
            <button type="submit" class="primary big" disabled=${busy}>${t("login.submit")}</button>
        </form>
    </${Gatehouse}>`;
}

export function NewPassword() {
    const [old_password, set_old] = useState(just_used);
    const [first, set_first] = useState("");
    const [second, set_second] = useState("");
    const [complaint, set_complaint] = useState("");
    const { busy, problem, run } = useSubmission();
    const known = just_used !== "";
    const submit = (/** @type {Event} */ event) => {
        event.preventDefault();
        const wrong = [...first].length < kLeastPassword ? "login.too_short"
            : first !== second ? "login.differ"
            : first === old_password ? "login.same" : "";
        set_complaint(wrong && t(wrong, { n: kLeastPassword }));
        if (wrong) return;
        void run(async () => {
            await set_password(old_password, first);
            just_used = "";
        });
    };
    const refused = problem && (problem.status === 0 ? t("problem.no_answer") : t_or(`rule.${problem.rule}`, problem.message));
    return html`<${Gatehouse} title=${t("login.new_title")} lead=${html`<p class="faint">${t("login.new_lead", { user: me.value?.user ?? "" })}</p>`}>
        <form onSubmit=${submit}>
            <input type="text" name="user" autocomplete="username" value=${me.value?.user ?? ""} hidden readonly />
            ${!known && html`<${Entry} label=${t("login.old")} name="old" type="password" auto="current-password"
                value=${old_password} on_value=${set_old} focus=${true} />`}
            <${Entry} label=${t("login.new")} name="new" type="password" auto="new-password" value=${first}
                on_value=${set_first} focus=${known} hint=${t("login.new_hint", { n: kLeastPassword })} />
            <${Entry} label=${t("login.again")} name="again" type="password" auto="new-password" value=${second} on_value=${set_second} />
            <${Refusal} text=${complaint || refused || ""} />
            <button type="submit" class="primary big" disabled=${busy}>${t("login.set")}</button>
            <button type="button" class="quiet" onClick=${() => void sign_out()}>${t("action.sign_out")}</button>
        </form>
    </${Gatehouse}>`;
}
