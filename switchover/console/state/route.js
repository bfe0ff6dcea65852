// SPDX-License-Identifier: Apache-2.0
// Where one is, kept in the address after the #: #/  #/runs  #/runs/ID  #/machines/SITE/NAME  #/scenarios/NAME
import { Cell } from "./cell.js";

/** @typedef {{page: string, words: string[]}} Route */

/** @returns {Route} */
function read() {
    const words = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map((word) => {
        try { return decodeURIComponent(word); } catch { return word; }
    });
    return { page: words[0] ?? "overview", words: words.slice(1) };
}

/** @type {Cell<Route>} */
export const route = new Cell(read());
addEventListener("hashchange", () => route.set(read()));

/** @param {...string} words */
export function address(...words) { return `#/${words.map(encodeURIComponent).join("/")}`; }

/** @param {...string} words */
export function go(...words) { location.hash = address(...words); }
