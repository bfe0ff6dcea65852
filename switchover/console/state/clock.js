// SPDX-License-Identifier: Apache-2.0
// Times: the server's clock as seen from here, ages that go on while we wait, and how to print them.
import { t } from "../i18n/catalogue.js";
import { zone } from "./preferences.js";

let server_ahead_ms = 0;

/** Told with every overview; the page's clocks follow the server's, not this computer's.
 *  @param {string} wall */
export function learn_server_time(wall) {
    const told = Date.parse(wall);
    if (!Number.isNaN(told)) server_ahead_ms = told - Date.now();
}

export function server_now() { return Date.now() + server_ahead_ms; }

/** Age now of something that was `age_ms` old when its message came at `at` (performance.now()).
 *  @param {number | null | undefined} age_ms @param {number} at @returns {number | null} */
export function age_now(age_ms, at) {
    if (age_ms === null || age_ms === undefined) return null;
    return age_ms + Math.max(0, performance.now() - at);
}

/** 0.4 s, 12 s, 3 min, 2 h 05 min, 4 d. @param {number | null | undefined} ms */
export function duration(ms) {
    if (ms === null || ms === undefined || Number.isNaN(ms)) return "–";
    const s = Math.max(0, ms) / 1000;
    if (s < 10) return t("time.seconds", { n: s.toFixed(1) });
    if (s < 100) return t("time.seconds", { n: Math.round(s) });
    const minutes = Math.floor(s / 60);
    if (minutes < 60) return t("time.minutes", { n: minutes });
    const hours = Math.floor(minutes / 60);
    if (hours < 48) return t("time.hours", { h: hours, m: String(minutes % 60).padStart(2, "0") });
    return t("time.days", { n: Math.floor(hours / 24) });
}

/** Seconds with one digit, for clocks that run: 7.3, or 1:07.3 from a minute on. @param {number} ms */
export function stopwatch(ms) {
    const tenths = Math.floor(Math.max(0, ms) / 100);
    const seconds = Math.floor(tenths / 10);
    const tail = `${seconds % 60}`;
    if (seconds < 60) return `${tail}.${tenths % 10}`;
    return `${Math.floor(seconds / 60)}:${tail.padStart(2, "0")}.${tenths % 10}`;
}

/** @param {string | number | null | undefined} wall @param {{date?: boolean, ms?: boolean}} [how] */
export function wall_time(wall, how = {}) {
    if (!wall) return "–";
    const at = new Date(wall);
    if (Number.isNaN(at.getTime())) return "–";
    const utc = zone.value === "utc";
    /** @type {Intl.DateTimeFormatOptions} */
    const options = {
        hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
        ...(utc ? { timeZone: "UTC" } : {}),
        ...(how.ms ? { fractionalSecondDigits: 3 } : {}),
        ...(how.date ? { year: "numeric", month: "2-digit", day: "2-digit" } : {}),
    };
    return new Intl.DateTimeFormat("en-CA", options)  // year-month-day in both languages
       
        .format(at).replace(", ", " ");
}

/** "UTC", or this computer's zone as UTC+08:00. */
export function zone_name() {
    if (zone.value === "utc") return "UTC";
    const minutes = -new Date().getTimezoneOffset();
    const size = Math.abs(minutes);
    const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
    return `UTC${minutes < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
