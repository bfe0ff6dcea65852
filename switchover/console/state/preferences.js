// SPDX-License-Identifier: Apache-2.0
// What the person chose for this browser: language, theme, and which time is shown.
import { Cell } from "./cell.js";

/** @param {string} key @param {string[]} allowed @param {string} otherwise */
function kept(key, allowed, otherwise) {
    let start = otherwise;
    try {
        const stored = localStorage.getItem(`twinsite.${key}`);
        if (stored && allowed.includes(stored)) start = stored;
    } catch { /* storage may be switched off: the choice then lasts as long as the page */ }
    const cell = new Cell(start);
    cell.watch((value) => {
        try { localStorage.setItem(`twinsite.${key}`, value); } catch { /* as above */ }
    });
    return cell;
}

const first = navigator.languages?.find((word) => /^(en|zh)\b/i.test(word)) ?? navigator.language;

export const language = kept("language", ["en", "zh"], /^zh\b/i.test(first) ? "zh" : "en");
export const theme = kept("theme", ["auto", "light", "dark"], "auto");
export const zone = kept("zone", ["utc", "local"], "local");

/** Puts the choices on the document, now and whenever they change. */
export function apply_preferences() {
    const root = document.documentElement;
    const show = () => {
        root.lang = language.value === "zh" ? "zh-CN" : "en";
        if (theme.value === "auto") delete root.dataset.theme;
        else root.dataset.theme = theme.value;
    };
    language.watch(show);
    theme.watch(show);
    show();
}
