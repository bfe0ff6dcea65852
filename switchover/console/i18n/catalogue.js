// SPDX-License-Identifier: Apache-2.0
// Texts by key in the chosen language. What the server names by a code is translated by that code;
// a code that is not in the catalogue falls back to the server's own English text.
import { language } from "../state/preferences.js";
import { en } from "./en.js";
import { zh } from "./zh.js";

/** @type {Record<string, Record<string, string>>} */
const catalogues = { en, zh };

/** @param {string} text @param {Record<string, string | number>} [params] */
function fill(text, params) {
    if (!params) return text;
    return text.replace(/\{(\w+)\}/g, (whole, name) => (name in params ? String(params[name]) : whole));
}

/** @param {string} key */
export function has_text(key) { return key in catalogues[language.value]; }

/** @param {string} key @param {Record<string, string | number>} [params] */
export function t(key, params) { return fill(catalogues[language.value][key] ?? key, params); }

/** @param {string} key @param {string | undefined} otherwise @param {Record<string, string | number>} [params] */
export function t_or(key, otherwise, params) {
    const text = catalogues[language.value][key];
    return text === undefined ? (otherwise || key.slice(key.indexOf(".") + 1)) : fill(text, params);
}

/** What the server says of something: in English its own sentence, which is the most exact; in other
 *  languages ours, by the code. @param {string} key @param {string} text @param {Record<string, string | number>} [params] */
export function told(key, text, params) {
    return language.value === "en" && text ? text : t_or(key, text, params);
}

/** A title as the configuration gives it: one text, or one for each language.
 *  @param {{en?: string, zh?: string} | string | undefined | null} title @param {string} [otherwise] */
export function titled(title, otherwise = "") {
    if (typeof title === "string") return title || otherwise;
    if (!title) return otherwise;
    return (language.value === "zh" ? title.zh : title.en) || title.en || title.zh || otherwise;
}

/** A site's name as it stands in a sentence: 东站点, East.
 *  @param {{name: string, title?: {en?: string, zh?: string} | string} | undefined | null} site */
export function site_name(site) {
    const title = titled(site?.title, site?.name ?? "");
    if (language.value !== "zh" || title === "" || /(站点|站|中心|机房)$/.test(title)) return title;
    return `${title}站点`;
}
