// SPDX-License-Identifier: Apache-2.0
// Which rules stand in the way of a person who starts a scenario. The server decides again when it
// is asked; this only shows it before. Pure.
/** @import { Gate, Scenario, Why } from "../types.js" */

/** @typedef {{rule: string, gates: Gate[], fixed: boolean}} Block  fixed: nobody may override it */

const kAlways = ["leader", "pause", "blind", "lock", "last-site", "already-so"];
const kFixed = ["leader", "lock", "last-site"];

/** @param {Why} why @param {string} kind @returns {Gate[]} */
function gates_against(why, kind) {
    const counts = (/** @type {Gate} */ gate) => kAlways.includes(gate.code)
        || (gate.code === "mode" && why.mode === "off")
        || (gate.code === "both-sites-bad" && kind === "site-down");
    return [
        ...why.gates.filter((gate) => !gate.ok && counts(gate)),
        // A person may start what has not fired, but has to say so.
        ...(why.firing ? [] : why.trigger.filter((gate) => !gate.ok && ["trigger", "unless"].includes(gate.code))),
        ...why.require.filter((gate) => !gate.ok && gate.code === "require"),
    ];
}

/** @param {Why | null} why @param {string} kind
 *  @param {string} refused the rule that the server named, "" for none @param {Gate[]} told its gates
 *  @returns {Block[]} */
export function blocks_of(why, kind, refused, told) {
    /** @type {Map<string, Gate[]>} */
    const found = new Map();
    for (const gate of why ? gates_against(why, kind) : [])
        found.set(gate.code, [...(found.get(gate.code) ?? []), gate]);
    if (refused && !found.has(refused)) {
        const named = told.filter((gate) => gate.code === refused && !gate.ok);
        found.set(refused, named.length ? named : [{ code: refused, ok: false, have: "", need: "", text: refused }]);
    }
    return [...found].map(([rule, gates]) => ({ rule, gates, fixed: kFixed.includes(rule) }));
}

/** What a scenario's card says. A way back has no trigger: it waits while a rule is against it, and
 *  is offered when none is. @param {Scenario} scenario */
export function shown_verdict(scenario) {
    const needed = scenario.kind === "failback" && scenario.verdict === "idle" && !scenario.blocked_by.includes("already-so");
    if (!needed) return scenario.verdict;
    return scenario.blocked_by.length === 0 ? "offered" : "waiting";
}

const kUrgency = ["offered", "running", "would_start", "held", "waiting", "idle"];

/** What matters now first; among the quiet ones the ways out before the ways back.
 *  @param {Scenario[]} scenarios */
export function by_urgency(scenarios) {
    const rank = (/** @type {Scenario} */ each) => kUrgency.indexOf(shown_verdict(each)) * 2 + (each.kind === "failback" ? 1 : 0);
    return [...scenarios].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
