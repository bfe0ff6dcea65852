// SPDX-License-Identifier: Apache-2.0
// A stand-in for twinsite-switchover's console port: the same addresses, headers and rules, with
// situations set by the test. It also hands out the built console, as the real one does.
import { createServer } from "node:http";
import { readFileSync, existsSync, statSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { randomBytes } from "node:crypto";
import * as scenes from "./scenes.mjs";

export const kPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    + "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const kTypes = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain" };

export class FakeServer {
    constructor(assets) {
        this.assets = assets;
        this.scene = "healthy";
        this.overview_change = (overview) => overview;
        this.hosts_change = (hosts) => hosts;
        /** Runs by id, newest last. */
        this.runs = new Map();
        this.users = new Map([["admin", { password: "one-time-9431", must_change: true, role: "admin" }], ["viewer", { password: "only looking around", must_change: false, role: "viewer" }]]);
        this.sessions = new Map();
        this.streams = new Set();
        this.requests = [];
        this.deaf = false;          // keeps connections, says nothing: a server that hangs
        this.no_streams = false;    // refuses event streams, answers the rest
        this.refuse_next_run = null;
        this.next_id = 0;
        this.http = createServer((request, response) => void this.answer(request, response));
    }

    async start(host = "127.0.0.1") {
        await new Promise((ready) => { this.http.listen(0, host, ready); });
        this.address = `http://${host}:${this.http.address().port}`;
        this.timer = setInterval(() => this.push(), 1_000);
        return this.address;
    }
    async stop() {
        clearInterval(this.timer);
        this.http.closeAllConnections();
        await new Promise((done) => { this.http.close(done); });
    }

    // What the test sets.
    set(name) {
        this.scene = name;
        this.push();
    }
    put_run(run) {
        this.runs.set(run.id, run);
        for (const stream of this.streams) this.send(stream, "run", run);
        this.push();
    }
    end_sessions() {
        this.sessions.clear();
        this.cut_streams();
    }
    cut_streams() {
        for (const stream of this.streams) stream.destroy();
        this.streams.clear();
    }

    active() { return [...this.runs.values()].filter((run) => !run.ended_wall); }
    overview() {
        const all = scenes.scene(this.scene);
        const ended = [...this.runs.values()].filter((run) => run.ended_wall);
        const summary = ({ steps, ...rest }) => rest;
        all.runs = { active: this.active().map(summary), last: ended.length ? summary(ended.at(-1)) : all.runs.last };
        return this.overview_change(all);
    }
    hosts() { return this.hosts_change(scenes.hosts(this.scene)); }

    send(stream, event, value) {
        this.next_id += 1;
        stream.write(`event: ${event}\nid: ${this.next_id}\ndata: ${JSON.stringify(value)}\n\n`);
    }
    push() {
        if (this.deaf) return;
        for (const stream of this.streams) {
            this.send(stream, "overview", this.overview());
            this.send(stream, "hosts", { hosts: this.hosts() });
        }
    }

    async answer(request, response) {
        const url = new URL(request.url, this.address);
        response.setHeader("content-security-policy", kPolicy);
        response.setHeader("x-content-type-options", "nosniff");
        if (!url.pathname.startsWith("/api/")) return this.file(url.pathname, response);
        let text = "";
        for await (const chunk of request) text += chunk;
        const body = text ? JSON.parse(text) : {};
        this.requests.push({ method: request.method, path: url.pathname, body, headers: request.headers });
        if (this.deaf) return undefined;
        const token = /twinsite_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
        return this.api(request, url, body, response, this.sessions.get(token), token);
    }

    file(path, response) {
        const inside = normalize(path === "/" ? "/index.html" : path);
        const place = join(this.assets, inside);
        if (inside.includes("..") || !existsSync(place) || !statSync(place).isFile()) return this.problem(response, 404, { title: "not found" });
        response.writeHead(200, { "content-type": kTypes[extname(place)] ?? "application/octet-stream", "cache-control": "no-cache" });
        return response.end(readFileSync(place));
    }
    json(response, value, status = 200, headers = {}) {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(value));
    }
    problem(response, status, more) {
        response.writeHead(status, { "content-type": "application/problem+json" });
        response.end(JSON.stringify({ type: "about:blank", status, ...more }));
    }

    api(request, url, body, response, session, token) {
        const path = url.pathname.replace(/^\/api\/v1\//, "");
        const method = request.method;
        if (path === "login" && method === "POST") return this.login(body, response);
        if (!session) return this.problem(response, 401, { title: "sign in first" });
        if (method !== "GET" && request.headers["x-csrf-token"] !== session.csrf) return this.problem(response, 403, { title: "wrong token", rule: "csrf" });
        const user = this.users.get(session.user);
        if (path === "me") return this.json(response, this.identity(session));
        if (path === "logout") {
            this.sessions.delete(token);
            return this.json(response, {});
        }
        if (path === "password") return this.password(user, body, response);
        if (user.must_change) return this.problem(response, 403, { title: "set a password first", rule: "must-change" });
        if (method !== "GET" && user.role === "viewer") return this.problem(response, 403, { title: "Forbidden", detail: "a viewer changes nothing", rule: "role" });
        return this.resource(method, path, url, body, response, request);
    }
    identity(session) {
        const user = this.users.get(session.user);
        return { user: session.user, role: user.role, must_change: user.must_change, csrf: session.csrf };
    }
    login(body, response) {
        const user = this.users.get(body.user);
        if (!user || user.password !== body.password) return this.problem(response, 401, { title: "user or password is wrong" });
        const session = { user: body.user, csrf: randomBytes(8).toString("hex") };
        const token = randomBytes(16).toString("hex");
        this.sessions.set(token, session);
        return this.json(response, this.identity(session), 200, { "set-cookie": `twinsite_session=${token}; HttpOnly; Secure; SameSite=Strict; Path=/` });
    }
    password(user, body, response) {
        if (body.old !== user.password) return this.problem(response, 422, { title: "Wrong value", detail: "'old' is not the password", rule: "login" });
        if ((body.new ?? "").length < 12) return this.problem(response, 422, { title: "at least 12 characters" });
        Object.assign(user, { password: body.new, must_change: false });
        return this.json(response, {});
    }

    resource(method, path, url, body, response, request) {
        const words = path.split("/").map(decodeURIComponent);
        if (path === "overview") return this.json(response, this.overview());
        if (path === "hosts") return this.json(response, { hosts: this.hosts() });
        if (path === "events") return this.events(request, response);
        if (words[0] === "hosts" && words[3] === "history") {
            const metric = url.searchParams.get("metric");
            return this.json(response, { metric, points: scenes.history(metric, Number(url.searchParams.get("since_s"))) });
        }
        if (words[0] === "scenarios" && words[2] === "why") return this.json(response, scenes.why(this.scene, words[1]));
        if (words[0] === "scenarios" && words[2] === "mode" && method === "PUT") {
            this.mode = body;
            return this.json(response, {});
        }
        if (path === "pause") {
            this.set(method === "PUT" ? "paused" : "healthy");
            return this.json(response, {});
        }
        if (path === "runs" && method === "POST") return this.start_run(body, response, request);
        if (path === "runs") return this.json(response, { runs: [...this.runs.values()].reverse().map(({ steps, ...rest }) => rest) });
        if (words[0] === "runs" && this.runs.has(words[1])) return this.one_run(method, words, body, response);
        return this.problem(response, 404, { title: "not found" });
    }
    start_run(body, response, request) {
        if (!request.headers["idempotency-key"]) return this.problem(response, 400, { title: "no Idempotency-Key" });
        const refusal = this.refuse_next_run;
        if (refusal && !(body.overrides ?? []).some((each) => each.rule === refusal.rule)) return this.problem(response, 409, refusal);
        const run = scenes.run(0, { scenario: body.scenario, by: "admin", mode: "manual", reason: body.reason });
        this.put_run(run);
        return this.json(response, run, 201);
    }
    one_run(method, words, body, response) {
        const run = this.runs.get(words[1]);
        if (method === "GET") return this.json(response, run);
        this.last_order = { verb: words[2], ...body };
        const states = { pause: "PAUSED_OPERATOR", resume: "RUNNING", retry: "RUNNING", skip: "RUNNING", abort: "CANCELLED" };
        const next = { ...run, state: states[words[2]] ?? run.state };
        if (words[2] === "abort") next.ended_wall = new Date().toISOString();
        this.put_run(next);
        return this.json(response, next);
    }
    events(request, response) {
        if (this.no_streams) return this.problem(response, 503, { title: "no streams now" });
        this.last_event_id = request.headers["last-event-id"] ?? null;
        response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
        response.write("retry: 500\n\n");
        this.streams.add(response);
        response.on("close", () => this.streams.delete(response));
        this.send(response, "overview", this.overview());
        this.send(response, "hosts", { hosts: this.hosts() });
        for (const run of this.active()) this.send(response, "run", run);
        return undefined;
    }
}
