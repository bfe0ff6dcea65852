// SPDX-License-Identifier: Apache-2.0
// Language, time and theme: one small button each, that says what is chosen.
import { html } from "htm/preact";
import { t } from "../i18n/catalogue.js";
import { useCell } from "../state/cell.js";
import { zone_name } from "../state/clock.js";
import { language, theme, zone } from "../state/preferences.js";

const kThemes = ["auto", "light", "dark"];

/** The other language, in its own letters. */
export function LanguageButton() {
    const other = useCell(language) === "zh" ? "en" : "zh";
    return html`<button type="button" class="quiet" lang=${other === "zh" ? "zh-CN" : "en"} data-test="language"
        onClick=${() => language.set(other)}>${other === "zh" ? "简体中文" : "English"}</button>`;
}

export function ZoneButton() {
    const chosen = useCell(zone);
    return html`<button type="button" class="quiet number" title=${t("choice.zone")} data-test="zone"
        onClick=${() => zone.set(chosen === "utc" ? "local" : "utc")}>${zone_name()}</button>`;
}

export function ThemeButton() {
    const chosen = useCell(theme);
    const next = kThemes[(kThemes.indexOf(chosen) + 1) % kThemes.length];
    return html`<button type="button" class="quiet" title=${t("choice.theme")} data-test="theme"
        onClick=${() => theme.set(next)}>${t(`theme.${chosen}`)}</button>`;
}
