// SPDX-License-Identifier: Apache-2.0
// The parts of the console that decide without a page: the headline, and a run's line of time.
import assert from "node:assert/strict";
import test from "node:test";
import { blocks_of, by_urgency, shown_verdict } from "../../switchover/console/state/blocking.js";
import { clock_of, entries_of, marks_of, rows_of, span_of } from "../../switchover/console/state/flight.js";
import { headline_of } from "../../switchover/console/state/headline.js";
import { bytes, percent } from "../../switchover/console/state/numbers.js";
import * as scenes from "./support/scenes.mjs";

test("the headline says the worst first", () => {
    const expected = {
        healthy: ["ok", "headline.ok"], semi_quiet: ["ok", "headline.ok"], east_failing: ["bad", "headline.lost_unserved"],
        offered: ["bad", "headline.offered"], failback_offered: ["hold", "headline.out_ready"], blind: ["warn", "headline.blind"],
        paused: ["hold", "headline.paused"], no_data: ["unknown", "headline.unknown"],
    };
    for (const name of scenes.kNames) {
        const { tone, key } = headline_of(scenes.scene(name));
        assert.deepEqual([tone, key], expected[name], name);
    }
});

test("a run under way is the headline, whatever else there is; one that waits says so", () => {
    const all = scenes.scene("blind");
    all.runs.active = [scenes.run(1)];
    assert.equal(headline_of(all).key, "headline.run");
    all.runs.active = [scenes.stuck_run()];
    assert.equal(headline_of(all).key, "headline.run_waits");
});

test("both sites lost, or nobody serving, is never called well", () => {
    const both = scenes.scene("east_failing");
    both.sites[1].state = "FAILED";
    both.sites[1].serving = false;
    assert.equal(headline_of(both).key, "headline.nobody");
    const idle = scenes.scene("healthy");
    for (const site of idle.sites) site.serving = false;
    assert.equal(headline_of(idle).key, "headline.unanswered", "good answers, but no gslb can be asked");
    idle.services[0].good = false;
    assert.equal(headline_of(idle).key, "headline.nobody");
});

test("a lost site says whether the switch is done, held back, or not needed", () => {
    const lost = scenes.scene("east_failing");
    lost.services[0].good = true;
    assert.equal(headline_of(lost).key, "headline.lost");
    lost.sites[0].desired = "out";
    assert.equal(headline_of(lost).key, "headline.lost_out");
    lost.scenarios[0].verdict = "held";
    assert.equal(headline_of(lost).key, "headline.lost_held");
    assert.equal(headline_of(lost).scenario, lost.scenarios[0]);
});

test("a way back waits for its rules, then is offered; what matters stands first", () => {
    const { scenarios } = scenes.scene("failback_offered");
    assert.deepEqual(by_urgency(scenarios).map(({ name }) => name), [scenes.kFailback, scenes.kScenario]);
    assert.equal(shown_verdict(scenarios[1]), "offered");
    assert.equal(shown_verdict({ ...scenarios[1], blocked_by: ["require"] }), "waiting");
    assert.equal(shown_verdict({ ...scenarios[1], blocked_by: ["already-so", "require"] }), "idle");
    assert.equal(by_urgency(scenes.scene("healthy").scenarios)[0].name, scenes.kScenario);
});

test("a person is held up by other rules than automation", () => {
    const why = scenes.why("semi_quiet", scenes.kScenario);
    assert.deepEqual(blocks_of(why, "site-down", "", []).map(({ rule }) => rule), ["trigger"], "the mode holds back automation only");
    assert.deepEqual(blocks_of({ ...why, firing: true }, "site-down", "", []), []);
    const blind = blocks_of(scenes.why("blind", scenes.kScenario), "site-down", "", []);
    assert.deepEqual(blind.map(({ rule, fixed }) => [rule, fixed]), [["blind", false], ["both-sites-bad", false], ["trigger", false]]);
    const named = blocks_of(null, "site-down", "lock", [{ code: "lock", ok: false, have: "held by run 7", need: "free", text: "" }]);
    assert.deepEqual(named.map(({ rule, fixed, gates }) => [rule, fixed, gates[0].have]), [["lock", true, "held by run 7"]]);
});

test("bad answers under well-looking sites are bad news", () => {
    const all = scenes.scene("healthy");
    all.services[0].good = false;
    assert.equal(headline_of(all).key, "headline.unserved");
});

test("one site in doubt is a warning", () => {
    const all = scenes.scene("healthy");
    all.sites[0].state = "SUSPECT";
    assert.deepEqual([headline_of(all).tone, headline_of(all).key], ["warn", "headline.suspect"]);
});

test("the clock runs from R0 while users wait, and stops at R5", () => {
    const begun = scenes.run(1);
    const r0 = Date.parse(begun.marks.r0_wall);
    assert.deepEqual(clock_of(begun, r0 + 9_000), { ms: 9_000, counting: true, kind: "rto" });
    assert.deepEqual(clock_of(scenes.run(3), r0 + 60_000), { ms: 7_120, counting: false, kind: "rto" });
    const restored = { ...begun, marks: { ...begun.marks } };
    restored.marks.r5_wall = new Date(r0 + 5_000).toISOString();
    assert.deepEqual(clock_of(restored, r0 + 60_000), { ms: 5_000, counting: false, kind: "rto" });
});

test("a run without an outage shows its own length", () => {
    const run = scenes.run(3, { marks: {}, rto_ms: null });
    assert.equal(clock_of(run, Date.now()).kind, "length");
    assert.equal(clock_of(run, Date.now()).ms, 3_700);
    assert.deepEqual(marks_of(run), []);
});

test("the recorder is in order of time, marks before the steps of the same instant", () => {
    const run = scenes.run(3);
    const entries = entries_of(run);
    assert.equal(entries.length, 6 + 6);
    for (let i = 1; i < entries.length; i += 1) assert.ok(entries[i - 1].at <= entries[i].at);
    const first_step = entries.findIndex((entry) => entry.kind === "start");
    assert.equal(entries[first_step - 1].mark, "R3");
});

test("the target is drawn only when it does not squeeze the run into a corner", () => {
    const run = scenes.run(3);
    const r0 = Date.parse(run.marks.r0_wall);
    assert.ok(span_of(run, Date.now()).to > r0 + 30_000);
    assert.ok(span_of({ ...run, rto_target_ms: 600_000 }, Date.now()).to < r0 + 20_000);
});

test("labels that are near each other stand on rows of their own", () => {
    const placed = rows_of([{ label: "a", share: 0.1 }, { label: "b", share: 0.11 }, { label: "c", share: 0.5 }, { label: "d", share: 0.12 }], 0.05);
    assert.deepEqual(placed.map(({ label, row }) => `${label}${row}`), ["a0", "b1", "d2", "c0"]);
});

test("a missing number is a dash, zero is zero", () => {
    assert.equal(bytes(null), "–");
    assert.equal(bytes(0), "0 B");
    assert.equal(bytes(16 * 2 ** 30), "16.0 GiB");
    assert.equal(percent(undefined), "–");
    assert.equal(percent(0, 1), "0.0 %");
});
