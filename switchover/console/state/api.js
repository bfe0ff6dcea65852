// SPDX-License-Identifier: Apache-2.0
// Calls to the server. Whatever goes wrong becomes a Problem, with the server's own words if it had any.
import { Cell } from "./cell.js";

/** @import { Me, Gate } from "../types.js" */

const kLimitMs = 15_000;

/** Who is signed in: undefined while unknown, null for nobody. @type {Cell<Me | null | undefined>} */
export const me = new Cell(/** @type {Me | null | undefined} */ (undefined));
/** True when a session ended under the person's hands: the sign-in page then says so. */
export const session_ended = new Cell(false);

export class Problem extends Error {
    /** @param {number} status 0 when no answer came @param {Record<string, any>} body */
    constructor(status, body) {
        super(body.detail || body.title || `HTTP ${status}`);
        this.status = status;
        /** @type {string} */
        this.title = body.title ?? "";
        /** The rule that refused, when one did. @type {string} */
        this.rule = body.rule ?? "";
        /** @type {Gate[]} */
        this.gates = Array.isArray(body.gates) ? body.gates : [];
    }
}

/** @param {Response} response @returns {Promise<Record<string, any>>} */
async function body_of(response) {
    if (!(response.headers.get("content-type") ?? "").includes("json")) return {};
    const text = await response.text();
    try {
        return JSON.parse(text);
    } catch {
        return {};
    }
}

/** A 401 anywhere but at sign-in means: the session is over. */
export function note_session_end() {
    if (me.value) session_ended.set(true);
    me.set(null);
}

/** @param {string} method @param {string} path @param {object} [body] @param {Record<string, string>} [headers]
 *  @param {number} [limit_ms] @returns {Promise<any>} */
export async function call(method, path, body, headers = {}, limit_ms = kLimitMs) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), limit_ms);
    /** @type {Response} */
    let response;
    /** @type {Record<string, any>} */
    let answer;
    try {
        response = await fetch(path, {
            method,
            signal: stop.signal,
            credentials: "same-origin",
            cache: "no-store",
            headers: {
                accept: "application/json",
                ...(body ? { "content-type": "application/json" } : {}),
                ...(method !== "GET" && me.value ? { "x-csrf-token": me.value.csrf } : {}),
                ...headers,
            },
            body: body ? JSON.stringify(body) : undefined,
        });
        answer = await body_of(response);
    } catch (error) {
        throw new Problem(0, { detail: String(error) });
    } finally {
        clearTimeout(timer);
    }
    if (response.ok) return answer;
    if (response.status === 401 && path !== "/api/v1/login") note_session_end();
    throw new Problem(response.status, answer);
}

/** @param {string} path @param {number} [limit_ms] */
export function get(path, limit_ms) { return call("GET", path, undefined, {}, limit_ms); }

/** A word for a thing in an address. @param {string} word */
export function part(word) { return encodeURIComponent(word); }
