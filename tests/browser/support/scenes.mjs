// SPDX-License-Identifier: Apache-2.0
// What a switchover server would tell in the situations that the console must show. Shapes as in
// docs/operator/api-switchover.md. Names from agents are hostile on purpose in one of them.

const titles = { east: { en: "East", zh: "东" }, west: { en: "West", zh: "西" } };
const other = { east: "west", west: "east" };
export const kScenario = "site-east-down";
export const kFailback = "failback-east";

const ago = (ms) => new Date(Date.now() - ms).toISOString();

function site(name, change = {}) {
    const peer = other[name];
    return {
        name, title: titles[name], state: "OK", since_wall: ago(3_720_000), flags: [], desired: "in", serving: true,
        agents: { ok: 2, stale: 0, total: 2 },
        evidence: {
            local: "ok", need: 2, have: 0,
            votes: [
                { observer: `mon-${peer}`, sees: "up", age_ms: 420 },
                { observer: "mon-arbiter", sees: "up", age_ms: 610 },
                { observer: `gslb-${peer}`, sees: "up", age_ms: 380 },
            ],
        },
        members: [
            { name: `gslb-${name}`, kind: "gslb", reachable: true, age_ms: 350, in_sync: true, detail: "" },
            { name: `slb-${name}`, kind: "slb", reachable: true, age_ms: 400, in_sync: true, detail: "" },
            { name: `mon-${name}`, kind: "monitor", reachable: true, age_ms: 500, in_sync: null, detail: "" },
        ],
        problems: [],
        ...change,
    };
}

function lost_site(name, since_ms) {
    const peer = other[name];
    return site(name, {
        state: "FAILED", since_wall: ago(since_ms), flags: ["stale"], serving: false, agents: { ok: 0, stale: 2, total: 2 },
        evidence: {
            local: "silent", need: 2, have: 3,
            votes: [
                { observer: `mon-${peer}`, sees: "down", age_ms: 420 },
                { observer: "mon-arbiter", sees: "down", age_ms: 610 },
                { observer: `gslb-${peer}`, sees: "down", age_ms: 380 },
            ],
        },
        members: ["gslb", "slb", "monitor"].map((kind) => ({
            name: kind === "monitor" ? `mon-${name}` : `${kind}-${name}`, kind, reachable: false, age_ms: since_ms, in_sync: kind === "monitor" ? null : false, detail: "connection refused",
        })),
        problems: [
            ...[`mon-${peer}`, "mon-arbiter", `gslb-${peer}`].map((observer) => ({ code: "observer", text: `${observer} sees ${name} down.`, params: { have: "down", need: "up", source: observer } })),
            { code: "report", text: `${name}/if1 does not report; it may be well all the same.`, params: { have: "stale", need: "fresh", source: `${name}/if1` } },
        ],
    });
}

function service(good, since_ms = 300, change = {}) {
    return {
        name: "ocs", title: { en: "Charging (OCS)", zh: "计费 (OCS)" }, good, last_good_wall: ago(since_ms), age_ms: since_ms,
        views: [
            { view: "east", ok: good, age_ms: 310, latency_ms: good ? 12 : 0, detail: "mon-arbiter" },
            { view: "west", ok: true, age_ms: 240, latency_ms: 9, detail: "mon-arbiter" },
        ],
        ...change,
    };
}

function scenario(change = {}) {
    return {
        name: kScenario, title: { en: "Site East is lost", zh: "东站点失效" }, mode: "auto", effective_mode: "auto", site: "east",
        kind: "site-down", firing: false, verdict: "idle", blocked_by: [], worst_case_s: 24, rto_target_s: 30,
        hash: "9f2c4e1ab03d77c1", ...change,
    };
}
function failback(change = {}) {
    return scenario({
        name: kFailback, title: { en: "East takes its users back", zh: "东站点接回用户" }, mode: "semi", effective_mode: "semi",
        kind: "failback", blocked_by: ["already-so"], worst_case_s: 95, rto_target_s: 0, hash: "11aa5be20c9d4410", ...change,
    });
}

function overview(change = {}) {
    return {
        server: { node: "sw-arbiter", site: "arbiter", version: "0.1.0", leader: true, fence: { generation: 1, revision: 7 }, uptime_s: 86_400, wall: new Date().toISOString() },
        pause: null, blind: { is: false, why: "" }, sites: [site("east"), site("west")], services: [service(true)],
        scenarios: [scenario(), failback()], runs: { active: [], last: null }, alarms: [], ...change,
    };
}

export const kNames = ["healthy", "east_failing", "offered", "failback_offered", "blind", "paused", "no_data", "semi_quiet"];

/** The overview of a scene, made anew each time: its times are of now. */
export function scene(name) {
    switch (name) {
        case "healthy": return overview();
        case "semi_quiet": return overview({ scenarios: [scenario({ mode: "semi", effective_mode: "semi" }), failback()] });
        case "east_failing": return overview({
            sites: [lost_site("east", 4_000), site("west")], services: [service(false, 4_300)],
            scenarios: [scenario({ firing: true, verdict: "waiting", blocked_by: ["for-not-reached"] }), failback()],
            alarms: [{ code: "site-failed", severity: "critical", text: "Site east has failed", since_wall: ago(2_000), params: { site: "east" } }],
        });
        case "offered": return overview({
            sites: [lost_site("east", 47_000), site("west")], services: [service(true, 300)],
            scenarios: [scenario({ mode: "semi", effective_mode: "semi", firing: true, verdict: "offered" }), failback()],
            alarms: [{ code: "site-failed", severity: "critical", text: "Site east has failed", since_wall: ago(44_000), params: { site: "east" } }],
        });
        case "failback_offered": return overview({
            sites: [site("east", { desired: "out", serving: false, since_wall: ago(130_000) }), site("west")],
            scenarios: [scenario({ verdict: "idle", blocked_by: ["already-so"] }), failback({ blocked_by: [] })],
            runs: { active: [], last: { ...finished_run(), steps: undefined } },
        });
        case "blind": return overview({
            blind: { is: true, why: "no other site and no arbiter is heard" },
            sites: ["east", "west"].map((name) => site(name, { state: "UNKNOWN", flags: ["blind", "stale"], agents: { ok: 0, stale: 2, total: 2 },
                evidence: { local: "silent", need: 2, have: 0, votes: site(name).evidence.votes.map((vote) => ({ ...vote, sees: "unknown", age_ms: 21_000 })) } })),
            services: [service(false, 21_000)],
            scenarios: [scenario({ verdict: "held", blocked_by: ["blind"] }), failback({ verdict: "held", blocked_by: ["blind"] })],
            alarms: [{ code: "blind", severity: "critical", text: "The judge is blind: no other site and no arbiter is heard", since_wall: ago(18_000), params: { why: "no other site and no arbiter is heard" } }],
        });
        case "paused": return overview({
            pause: { by: "li.wei", reason: "Upgrade of slb-west", since_wall: ago(720_000), until_wall: new Date(Date.now() + 1_080_000).toISOString() },
            scenarios: [scenario({ verdict: "held", blocked_by: ["pause"] }), failback()],
        });
        case "no_data": return overview({
            sites: ["east", "west"].map((name) => site(name, { state: "UNKNOWN", since_wall: ago(800), serving: false, agents: { ok: 0, stale: 0, total: 2 }, members: [],
                evidence: { local: "unknown", need: 2, have: 0, votes: [] } })),
            services: [{ name: "ocs", title: { en: "Charging (OCS)", zh: "计费 (OCS)" }, good: false, last_good_wall: null, age_ms: null, views: [] }],
            scenarios: [],
        });
        default: throw new Error(`no scene ${name}`);
    }
}

function host(site_name, name, kind, change = {}) {
    return {
        id: `${site_name}/${name}`, site: site_name, name, kind, state: "OK", since_wall: ago(3_600_000), age_ms: 700, stale: false, seq: 5_821, version: "0.1.0",
        cpu: { idle: 83.4, idle_avg10s: 81.9, idle_avg1m: 80.2, iowait: 0.6, steal: 0, cpus: 8 },
        memory: { max_bytes: 16 * 2 ** 30, used_bytes: 4.2 * 2 ** 30, used_percent: 26.3 },
        disks: [
            { mount: "/", size_bytes: 96 * 2 ** 30, used_bytes: 41 * 2 ** 30, avail_bytes: 50 * 2 ** 30, used_percent: 45, read_only: false },
            { mount: "/var", size_bytes: 480 * 2 ** 30, used_bytes: 301 * 2 ** 30, avail_bytes: 155 * 2 ** 30, used_percent: 66, read_only: false },
        ],
        processes: [{ name: "charging", state: "OK", reported: "up", count: 1, restarts: 0, detail: "pid 4120" }],
        collectors: [], interval_ms: 1_000,
        agent: { rss_bytes: 11 * 2 ** 20, backlog: 0, dropped: 0, skew_ms: 12 }, via: ["direct", `mon-${site_name}`], ...change,
    };
}

/** The hosts of a scene. */
export function hosts(name) {
    if (name === "no_data") return [];
    const silent = name === "east_failing" || name === "offered" || name === "running"
        ? { state: "UNKNOWN", stale: true, age_ms: 47_000, agent: { rss_bytes: 11 * 2 ** 20, backlog: 0, dropped: 0, skew_ms: 12 } } : {};
    const blind = name === "blind" ? { state: "UNKNOWN", stale: true, age_ms: 21_000 } : {};
    return [
        host("east", "if1", "interface", { ...silent, ...blind }),
        host("east", "proc1", "processing", { cpu: { idle: 41.7, idle_avg10s: 44.0, idle_avg1m: 46.3, iowait: 3.1, steal: 0, cpus: 16 }, ...silent, ...blind }),
        host("west", "if1", "interface", { cpu: { idle: 88.0, idle_avg10s: 87.1, idle_avg1m: 86.4, iowait: 0.4, steal: 0, cpus: 8 }, ...blind }),
        host("west", "proc1", "processing", {
            cpu: { idle: 36.2, idle_avg10s: 37.9, idle_avg1m: 39.5, iowait: 2.2, steal: 0, cpus: 16 },
            memory: { max_bytes: 64 * 2 ** 30, used_bytes: 56 * 2 ** 30, used_percent: 87.5 },
            collectors: [{ collector: "disk", instance: "/mnt/archive", status: "stuck", age_ms: 64_000, detail: "statvfs has not returned" }], ...blind,
        }),
    ];
}

/** Names as an attacker would choose them: they must stay text. */
export const kHostile = '<img src=x onerror="window.hacked=1"><b>\u202eevil';
export function hostile_hosts() {
    return [host("east", "if1", kHostile, { processes: [{ name: kHostile, state: "OK", reported: "up", count: 1, restarts: 0, detail: kHostile.repeat(8) }], version: kHostile })];
}

const gate = (code, ok, have, need, text, source = "", age_ms = null) => ({ code, ok, have, need, age_ms, source, text });

function evidence(name) {
    const down = name === "offered" || name === "east_failing";
    const sees = down ? "down" : name === "blind" ? "unknown" : "up";
    return [
        gate("agents-silent", down, down ? "2 of 2 silent" : "0 of 2 silent", "all silent", "", "agents of east", 700),
        gate("votes", down, down ? "3 of 3" : "0 of 3", "2 of 3", "", "outside observers"),
        ...["mon-west", "mon-arbiter", "gslb-west"].map((observer) => gate("observer", down, sees, "down", `${observer} sees east ${sees}.`, observer, 610)),
        gate("judge-hears", name !== "blind", name === "blind" ? "nobody else" : "west, arbiter", "the arbiter or another site", ""),
        gate("blind", name !== "blind", name === "blind" ? "blind" : "not blind", "not blind", ""),
        gate("for-not-reached", name === "offered", down ? (name === "offered" ? "44 s" : "2 s") : "not complete", "3 s", ""),
    ];
}

/** Why the scenario would start in this scene, or not. */
export function why(name, scenario_name) {
    const entry = scene(name === "running" ? "offered" : name).scenarios.find((each) => each.name === scenario_name) ?? scenario({ name: scenario_name });
    const back = entry.kind === "failback";
    const out = name === "failback_offered";
    return {
        scenario: scenario_name, title: entry.title, mode: entry.mode, effective_mode: entry.effective_mode, firing: entry.firing, verdict: entry.verdict, text: { en: "", zh: "" },
        trigger: back ? [] : [
            gate("trigger", name === "offered", name === "offered" ? "yes" : "no", "true", "must hold: site.down(east)"),
            ...evidence(name),
            gate("unless", true, "no", "not true", "must not hold: site.maint(east)"),
        ],
        require: back
            ? [gate("require", true, "yes", "true", "must hold: site.ready(east)"), gate("require", true, "yes", "true", "must hold: site.ok(west)")]
            : [gate("require", true, "yes", "true", "must hold: site.ready(west)")],
        gates: [
            gate("leader", true, "yes", "yes", "this server must lead"),
            gate("pause", name !== "paused", name === "paused" ? "paused by li.wei: Upgrade of slb-west" : "not paused", "not paused", "automation must not be paused"),
            gate("mode", entry.mode === "auto", entry.mode, "auto", "the mode in force must be auto to start by itself"),
            gate("lint", !back, back ? "a person decides when users go back" : "nothing found", "nothing that forbids auto", ""),
            gate("blind", name !== "blind", name === "blind" ? "blind" : "not blind", "not blind", ""),
            gate("flapping", true, "steady", "steady", ""),
            gate("maint", true, "none", "none", ""),
            gate("not-inside-site", true, "at arbiter", "not at east", ""),
            gate("both-sites-bad", name !== "blind", name === "blind" ? "west UNKNOWN" : "west OK", "another site OK", ""),
            gate("cool-down", true, "over", "over", ""),
            gate("lock", true, "free", "free", ""),
            gate("already-so", back === out, out ? "out" : "in", back ? "out" : "in", ""),
            ...(back ? [] : [gate("last-site", true, "west", "another site that is in and has not failed", "")]),
            gate("brand-new-rule", true, "4", "3", "A rule that this console does not know yet", "later-server"),
        ],
    };
}

const kSteps = [
    ["pin", { en: "Pin East out at every gslb", zh: "在所有 GSLB 摘除东站点" }, "gslb.set", ["gslb-west"]],
    ["check", { en: "Answers point to West", zh: "解析应答指向西站点" }, "wait", []],
    ["tell", { en: "Tell West's machines", zh: "通知西站点的机器" }, "agent.run", ["west/if1", "west/proc1"]],
];

/** A run whose first `done` steps are ended and the next one is under way; all of them: it has succeeded. */
export function run(done, change = {}, began_ms = 1_400) {
    const r0 = Math.round(Date.now() - began_ms - 6_200);
    const at = (ms) => new Date(r0 + ms).toISOString();
    const all = done >= kSteps.length;
    return {
        id: "run-20261130-0001", scenario: kScenario, title: { en: "Site East is lost", zh: "东站点失效" }, kind: "site-down",
        state: all ? "SUCCEEDED" : "RUNNING", mode: "auto", by: "auto", reason: "the trigger fired", started_wall: at(6_200), ended_wall: all ? at(9_900) : null,
        fence: { generation: 1, revision: 7 },
        marks: { r0_wall: at(0), r1_wall: at(6_100), r2_wall: at(6_200), r3_wall: at(6_350), r4_wall: all ? at(8_400) : null, r5_wall: all ? at(7_120) : null },
        rto_ms: all ? 7_120 : null, rto_without_human_ms: all ? 7_120 : null, human_wait_ms: 0, health_alone: false, rto_target_ms: 30_000, rto_ok: all ? true : null,
        steps: kSteps.map(([id, title, action, targets], index) => ({
            id, title, action, state: index < done ? "OK" : index === done ? "RUNNING" : "PENDING", tries: index <= done ? 1 : 0,
            started_wall: index <= done ? at(6_350 + index * 650) : null, ended_wall: index < done ? at(6_900 + index * 650) : null,
            output: index === 1 && index < done ? "ocs.example.net for clients of east: 127.0.2.20" : "", needs: index ? [kSteps[index - 1][0]] : [],
            targets: targets.map((name) => ({ name, state: index < done ? "OK" : index === done ? "RUNNING" : "PENDING", output: "" })),
        })),
        warnings: [], hash: "9f2c4e1ab03d77c1", output: "", ...change,
    };
}

/** The same run a while later, ended. */
export function finished_run() {
    return run(kSteps.length, { warnings: ["gslb-east could not be reached; it is brought up to date when it comes back"] }, 140_000);
}

/** The run after a step failed: it waits for a person. */
export function stuck_run() {
    const stuck = run(2);
    stuck.state = "PAUSED_STEP_FAILED";
    stuck.output = "step tell failed on 1 of 2 machines";
    Object.assign(stuck.steps[2], { state: "FAILED", tries: 2, ended_wall: new Date().toISOString(), output: "1 of 2 machines failed; allowed are 0 %" });
    stuck.steps[2].targets = [{ name: "west/if1", state: "OK", output: "switched" }, { name: "west/proc1", state: "TIMED_OUT", output: "no result within 20 s" }];
    return stuck;
}

/** A line of points as the history gives them. */
export function history(metric, since_s) {
    const end = Date.now();
    const step = Math.max(1_000, (since_s * 1000) / 300);
    const base = { "cpu.idle": 82, "cpu.idle_avg1m": 80, "memory.used_percent": 26 }[metric] ?? 50;
    const spread = metric === "cpu.idle" ? 9 : metric === "cpu.idle_avg1m" ? 3 : 1;
    const points = [];
    for (let at = end - since_s * 1000; at <= end; at += step)
        points.push([Math.round(at), base + spread * Math.sin(at / 47_000) * Math.cos(at / 13_000)]);
    return points;
}
