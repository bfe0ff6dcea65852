// SPDX-License-Identifier: Apache-2.0
// The console in a real Chromium against a stand-in server: what an operator does, and what goes wrong.
// usage: node --test tests/browser/operation_test.mjs
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { accessible, fake, kPassword, see, shots, sign_in, text, with_page } from "./support/harness.mjs";
import * as scenes from "./support/scenes.mjs";

test("a one-time password lets in only to set another one", async () => {
    fake.users.set("admin", { password: "one-time-9431", must_change: true, role: "admin" });
    await with_page({ signed_out: true }, async (page) => {
        await page.fill("[name=user]", "admin");
        await page.fill("[name=password]", "wrong");
        await page.click("button[type=submit]");
        await see(page, "[role=alert]", /User or password is wrong/);
        await page.screenshot({ path: join(shots, "sign-in.png") });
        await page.fill("[name=password]", "one-time-9431");
        await page.click("button[type=submit]");
        await page.waitForSelector("[name=new]");
        await accessible(page, "new password");
        for (const [first, second, words] of [["short", "short", /at least 12/], [kPassword, "another one entirely", /differ/], ["one-time-9431", "one-time-9431", /must differ/]]) {
            await page.fill("[name=new]", first);
            await page.fill("[name=again]", second);
            await page.click("button[type=submit]");
            await see(page, "[role=alert]", words);
        }
        await page.fill("[name=new]", kPassword);
        await page.fill("[name=again]", kPassword);
        await page.click("button[type=submit]");
        await page.waitForSelector("[data-test=headline]");
        assert.equal(fake.users.get("admin").password, kPassword);
        await page.click("[data-test=who]");
        await page.click("[data-test=sign-out]");
        await page.waitForSelector("[name=password]");
        assert.equal(fake.sessions.size, 0);
    });
});

test("a rule in the way is named, and overridden only by name and with the reason", async () => {
    fake.scene = "blind";
    fake.refuse_next_run = { title: "Refused", detail: "the server is blind", rule: "blind", gates: [] };
    await with_page({}, async (page) => {
        await page.click(`.scenario [data-test="start-${scenes.kScenario}"]`);
        await page.waitForSelector("dialog [data-gate=blind]");
        await see(page, "dialog .blocks", /Does not hold now: 3.*Its condition holds: site\.down\(east\)/s);
        await accessible(page, "confirm against rules");
        await page.fill("dialog [name=reason]", "seen on site");
        await page.fill("dialog [name=name]", scenes.kScenario);
        await page.click("[data-test=confirm-start]");
        await see(page, "dialog [role=alert]", /by the rule “blind”.*Does not hold: The server sees enough/s);
        assert.equal(fake.runs.size, 0);
        await page.locator(".block", { has: page.locator("[data-gate=blind]") }).locator("input").check();
        await page.screenshot({ path: join(shots, "confirm-blocked.en.light.png") });
        await page.click("[data-test=confirm-start]");
        await page.waitForSelector("[data-run]");
        const posts = fake.requests.filter(({ method, path }) => method === "POST" && path === "/api/v1/runs");
        assert.deepEqual(posts.at(-1).body.overrides, [{ rule: "blind", reason: "seen on site" }]);
        assert.notEqual(posts[0].headers["idempotency-key"], posts[1].headers["idempotency-key"]);
    });
});

test("a failed step waits for a person, who can try again", async () => {
    fake.scene = "offered";
    await with_page({ locale: "zh-CN", colorScheme: "dark" }, async (page) => {
        fake.put_run(scenes.stuck_run());
        await page.waitForSelector("[data-test=headline][data-tone=hold]");
        await page.click("[data-test=open-run]");
        await see(page, "[data-step=tell]", /west\/proc1.*超时.*no result within 20 s/s);
        await page.screenshot({ path: join(shots, "run-stuck.zh.dark.png"), fullPage: true });
        await accessible(page, "stuck run");
        await page.click("[data-test=run-retry]");
        await page.fill("dialog [name=reason]", "proc1 is back");
        await page.click("dialog button[type=submit]");
        await page.waitForSelector("[data-run][data-state=running]");
        assert.deepEqual(fake.last_order, { verb: "retry", reason: "proc1 is back", step: "tell" });
    });
});

test("fail-back is offered calmly and started by the button", async () => {
    fake.scene = "failback_offered";
    await with_page({}, async (page) => {
        await see(page, ".last-rto, .last", /7\.1 s/);
        await page.click(".headline > button");
        await see(page, ".changes", /East.*held out.*serves its users again/s);
        await page.fill("dialog [name=reason]", "East is well");
        await page.fill("dialog [name=name]", scenes.kFailback);
        await page.keyboard.press("Enter");
        await page.waitForSelector("[data-run]");
        assert.equal(fake.requests.find(({ method, path }) => method === "POST" && path.endsWith("/runs")).body.scenario, scenes.kFailback);
    });
});

test("pause and mode ask for the reason and tell the server", async () => {
    await with_page({}, async (page) => {
        await page.click(".topbar-mode button");
        await page.fill("dialog [name=reason]", "upgrade");
        await page.click("dialog button[type=submit]");
        await see(page, ".banner", /Automation is paused.*Upgrade of slb-west/s);
        await page.click(".banner button");
        await page.click("dialog button[type=submit]");
        await page.waitForSelector(".banner", { state: "detached" });
        const bodies = fake.requests.filter(({ path }) => path === "/api/v1/pause").map(({ method, body }) => [method, body]);
        assert.deepEqual(bodies, [["PUT", { reason: "upgrade" }], ["DELETE", {}]]);
        await page.click(`[data-scenario="${scenes.kScenario}"] .segments button:nth-child(2)`);
        await page.fill("dialog [name=reason]", "first weeks");
        await page.click("dialog button[type=submit]");
        await page.waitForSelector("dialog", { state: "detached" });
        assert.deepEqual(fake.mode, { mode: "semi", reason: "first weeks" });
    });
});

test("a broken stream is bridged by asking, and taken up again where it ended", async () => {
    await with_page({}, async (page) => {
        await see(page, "[data-test=freshness]", /Live/);
        fake.no_streams = true;
        fake.cut_streams();
        await see(page, "[data-test=freshness]", /Asking/);
        fake.set("blind");
        await page.waitForSelector("[data-test=headline][data-tone=warn]");
        fake.no_streams = false;
        await see(page, "[data-test=freshness]", /Live/);
        fake.cut_streams();
        await page.waitForFunction(() => true);
        fake.set("paused");
        await page.waitForSelector("[data-test=headline][data-tone=hold]");
        await see(page, "[data-test=freshness]", /Live/);
        assert.ok(Number(fake.last_event_id) > 0, "the browser told what it had seen last");
    });
});

test("a server that falls silent makes the page say that its data is old", async () => {
    await with_page({}, async (page) => {
        fake.deaf = true;
        await page.waitForSelector(".banner.tone-bad", { timeout: 30_000 });
        await see(page, ".banner", /No news from the server for \d/);
        await see(page, "[data-test=freshness]", /Old data/);
        await page.screenshot({ path: join(shots, "stale.en.light.png") });
        fake.deaf = false;
        await page.waitForSelector(".banner.tone-bad", { state: "detached", timeout: 30_000 });
    });
});

test("a session that ends leads to sign-in, says so, and forgets what was shown", async () => {
    await with_page({}, async (page) => {
        fake.end_sessions();
        await page.waitForSelector("[name=password]", { timeout: 30_000 });
        await see(page, ".notice", /Your session has ended/);
        assert.doesNotMatch(await text(page, "body"), /East|mon-west/);
        await sign_in(page, "admin", kPassword);
    });
});

test("alarm to report by keyboard alone", async () => {
    fake.scene = "offered";
    await with_page({ signed_out: true }, async (page) => {
        const began = Date.now();
        const tab_to = async (selector) => {
            for (let i = 0; i < 60; i += 1) {
                if (await page.evaluate((where) => document.activeElement?.matches(where) ?? false, selector)) return;
                await page.keyboard.press("Tab");
            }
            assert.fail(`no way to ${selector} by Tab`);
        };
        await page.waitForSelector("[name=user]");
        await page.keyboard.type("admin");
        await page.keyboard.press("Tab");
        await page.keyboard.type(kPassword);
        await page.keyboard.press("Enter");
        await page.waitForSelector("[data-test=headline]");
        await tab_to(`[data-test="why-${scenes.kScenario}"]`);
        await page.keyboard.press("Enter");
        await page.waitForSelector("[data-gate=votes]");
        await page.keyboard.press("Shift+Tab");
        await page.keyboard.press("Enter");
        await page.waitForSelector("dialog[open]");
        await tab_to("dialog [name=reason]");
        await page.keyboard.type("East has no power");
        await tab_to("dialog [name=name]");
        await page.keyboard.type(scenes.kScenario);
        await page.keyboard.press("Enter");
        await page.waitForSelector("[data-run]");
        fake.put_run(scenes.finished_run());
        await page.waitForSelector("[data-state=succeeded]");
        assert.ok(Date.now() - began < 60_000);
    });
});
