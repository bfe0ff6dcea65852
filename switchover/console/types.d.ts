// SPDX-License-Identifier: Apache-2.0
// What the server's API says (docs/operator/api-switchover.md), as far as the console reads it.

export type Title = { en: string; zh: string };
export type Params = Record<string, string | number>;
export type Notice = { code: string; text: string; params?: Params; severity?: string; since_wall?: string };

export type Vote = { observer: string; sees: "up" | "down" | "unknown"; age_ms: number | null };
export type Member = {
    name: string; kind: string; reachable: boolean; age_ms: number | null; in_sync: boolean | null; detail?: string;
};
export type Site = {
    name: string; title: Title; state: string; since_wall?: string; flags: string[]; desired: string;
    serving: boolean; agents: { ok: number; stale: number; total: number };
    evidence: { local: string; votes: Vote[]; need: number; have: number };
    members: Member[]; problems: Notice[];
};
export type View = { view: string; ok: boolean; age_ms: number | null; latency_ms: number; detail?: string };
export type Service = {
    name: string; title?: Title | string; good: boolean; last_good_wall?: string; age_ms: number | null; views: View[];
};
export type Scenario = {
    name: string; title: Title; mode: string; effective_mode: string; site: string; kind: string;
    firing: boolean; verdict: string; blocked_by: string[]; worst_case_s: number | null;
    rto_target_s: number | null; hash: string;
};
export type Server = {
    node: string; site: string; version: string; leader: boolean;
    fence?: { generation: number; revision: number }; uptime_s: number; wall: string;
};
export type Pause = { by: string; reason: string; since_wall: string; until_wall?: string | null };
export type Overview = {
    server: Server; pause: Pause | null; blind: { is: boolean; why: string }; sites: Site[];
    services: Service[]; scenarios: Scenario[]; runs: { active: Run[]; last: Run | null }; alarms: Notice[];
};

export type Disk = {
    mount: string; size_bytes: number | null; used_bytes: number | null; avail_bytes: number | null; used_percent: number | null;
    read_only: boolean;
};
export type Host = {
    id: string; site: string; name: string; kind: string; state: string; since_wall?: string;
    age_ms: number | null; stale: boolean; seq: number; version: string;
    cpu: { idle: number | null; idle_avg10s?: number | null; idle_avg1m?: number | null; iowait?: number | null; steal?: number | null; cpus?: number | null } | null;
    memory: { max_bytes: number | null; used_bytes: number | null; used_percent: number | null } | null;
    disks: Disk[]; processes: Process[]; collectors?: Trouble[];
    agent: { rss_bytes?: number | null; backlog?: number | null; dropped?: number | null; skew_ms?: number | null } | null;
    via: string[];
};
/** `state` is the judge's word, `reported` the agent's. */
export type Process = {
    name: string; state: string; reported?: string; count: number | null; restarts: number | null; detail?: string;
};
/** A collector that did not give its numbers. */
export type Trouble = { collector: string; instance: string; status: string; age_ms: number; detail: string };

export type Gate = {
    code: string; ok: boolean; have: string; need: string; age_ms?: number | null; source?: string; text: string;
};
export type Why = {
    scenario: string; title: Title; mode: string; effective_mode: string; firing: boolean; verdict: string;
    text?: Title | string; gates: Gate[]; trigger: Gate[]; require: Gate[];
};

export type Target = { name: string; state: string; output?: string };
export type Step = {
    id: string; title: Title | string; action: string; state: string; tries: number; started_wall?: string | null;
    ended_wall?: string | null; output?: string; needs: string[]; targets: Target[];
};
export type Marks = Partial<Record<"r0_wall" | "r1_wall" | "r2_wall" | "r3_wall" | "r4_wall" | "r5_wall", string | null>>;
export type Run = {
    id: string; scenario: string; title: Title; kind: string; state: string; mode: string; by: string;
    reason?: string; started_wall: string; ended_wall?: string | null; fence?: { generation: number; revision: number };
    marks?: Marks; rto_ms?: number | null; rto_without_human_ms?: number | null; human_wait_ms?: number | null;
    health_alone?: boolean; rto_target_ms?: number | null; rto_ok?: boolean | null; steps?: Step[];
    warnings?: (string | Notice)[]; hash?: string;
    /** Why it ended, or what it waits for. */
    output?: string;
};

export type Me = { user: string; role: string; must_change: boolean; csrf: string };
export type Link = { mode: "connecting" | "live" | "polling" | "lost"; at: number };
