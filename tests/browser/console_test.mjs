// SPDX-License-Identifier: Apache-2.0
// The console in a real Chromium against a stand-in server: what an operator sees and does.
// Screenshots go to build/browser. usage: node --test tests/browser/console_test.mjs
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { open_browser, open_page } from "./support/browser.mjs";
import { FakeServer } from "./support/fake_server.mjs";
import * as scenes from "./support/scenes.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const shots = join(root, "build/browser");
const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");
const kPassword = "a calm and exact word";
const kLimit = { timeout: 8_000 };

let browser;
let fake;
let address;

before(async () => {
    mkdirSync(shots, { recursive: true });
    browser = await open_browser();
});
after(async () => { await browser?.close(); });
beforeEach(async () => {
    await fake?.stop();
    fake = new FakeServer(join(root, "build/console"));
    fake.users.set("admin", { password: kPassword, must_change: false, role: "admin" });
    address = await fake.start();
});
after(async () => { await fake?.stop(); });

/** Signs in and hands the page to `story`; at the end nothing may have gone wrong unseen. */
async function with_page(options, story) {
    const context = await browser.context(options);
    context.setDefaultTimeout(kLimit.timeout);
    const { page, troubles } = await open_page(context, address);
    try {
        await page.goto(`${address}/`);
        if (!options.signed_out) await sign_in(page, options.user ?? "admin", options.password ?? kPassword);
        await story(page, context);
        assert.deepEqual(troubles, []);
    } finally {
        await context.close();
    }
}
async function sign_in(page, user, password) {
    await page.fill("[name=user]", user);
    await page.fill("[name=password]", password);
    await page.click("button[type=submit]");
    await page.waitForSelector("[data-test=headline]");
}
const text = (page, selector) => page.locator(selector).first().innerText();
async function see(page, selector, pattern) {
    await page.waitForFunction(
        ([where, source]) => [...document.querySelectorAll(where)].some((element) => new RegExp(source).test(element.textContent)),
        [selector, pattern.source], kLimit);
}
async function accessible(page, what) {
    if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe);
    const found = await page.evaluate(`axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })`);
    const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(serious.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join("; ")}`), []);
}
/** Everything fits: nobody has to scroll sideways. */
async function fits(page, what) {
    const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= seen, `${what} is ${wide} wide, the window ${seen}`);
}
/** The selector of the largest letters on the page. */
function largest(page) {
    return page.evaluate(() => {
        let best = { size: 0, name: "" };
        for (const element of document.querySelectorAll("#app *")) {
            const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
            const size = own && element.getClientRects().length ? parseFloat(getComputedStyle(element).fontSize) : 0;
            if (size > best.size) best = { size, name: element.className || element.tagName };
        }
        return best.name;
    });
}

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

for (const [language, theme, locale] of [["en", "light", "en-GB"], ["zh", "dark", "zh-CN"]])
    test(`every situation is told in ${language}, ${theme}, for everybody, and fits`, async () => {
        await with_page({ locale, colorScheme: theme }, async (page) => {
            for (const [index, name] of scenes.kNames.entries()) {
                fake.set(name);
                const tone = { healthy: "ok", semi_quiet: "ok", east_failing: "bad", offered: "bad", failback_offered: "hold", blind: "warn", paused: "hold", no_data: "unknown" }[name];
                await page.waitForSelector(`[data-test=headline][data-tone=${tone}]`);
                if (name === "offered") await page.click(`[data-test="why-${scenes.kScenario}"]`);
                if (name === "offered") await page.waitForSelector("[data-gate=votes]");
                await fits(page, name);
                assert.equal(await largest(page), "H1", `${name}: the sentence is the biggest`);
                await page.screenshot({ path: join(shots, `${name}.${language}.${theme}.png`), fullPage: true });
                // Each situation in one theme, the busiest in both: the colours are the same everywhere.
                if (name === "offered" || (index % 2 === 0) === (theme === "light")) await accessible(page, `${name} ${language} ${theme}`);
            }
            assert.equal(await page.evaluate(() => document.documentElement.lang), language === "zh" ? "zh-CN" : "en");
        });
    });

test("Switch now asks for a reason and the name, starts one run, and shows it to its end", async () => {
    fake.scene = "offered";
    await with_page({}, async (page) => {
        await page.click(".headline > button");
        const start = page.locator("[data-test=confirm-start]");
        await see(page, ".changes", /East.*serves nobody.*held out/s);
        await see(page, ".changes", /West.*serves users.*serves all users/s);
        await see(page, ".confirm", /Nothing stands in the way/);
        assert.ok(await start.isDisabled());
        await page.fill("dialog [name=reason]", "East has no power");
        assert.ok(await start.isDisabled(), "a reason alone is not enough");
        await page.fill("dialog [name=name]", "site-west-down");
        assert.ok(await start.isDisabled(), "another name is not enough");
        await page.fill("dialog [name=name]", scenes.kScenario);
        await page.screenshot({ path: join(shots, "confirm.en.light.png") });
        await accessible(page, "confirm");
        await start.click();
        await page.waitForSelector("[data-run=run-20261130-0001][data-state=running]");
        const posts = fake.requests.filter(({ method, path }) => method === "POST" && path === "/api/v1/runs");
        assert.equal(posts.length, 1);
        assert.deepEqual(posts[0].body, { scenario: scenes.kScenario, reason: "East has no power" });
        assert.ok(posts[0].headers["idempotency-key"].length >= 16);
        assert.ok(posts[0].headers["x-csrf-token"]);
        assert.equal(await largest(page), "clock-digits number", "the clock is the biggest");
        const early = parseFloat(await text(page, ".clock-digits"));
        fake.put_run(scenes.run(2, { by: "admin", mode: "manual", reason: "East has no power" }));
        await page.waitForSelector("[data-step=pin][data-state=ok]");
        await page.waitForFunction((then) => parseFloat(document.querySelector(".clock-digits").textContent) > then, early);
        await page.screenshot({ path: join(shots, "run.en.light.png"), fullPage: true });
        fake.put_run(scenes.finished_run());
        await page.waitForSelector("[data-run][data-state=succeeded]");
        assert.match(await text(page, ".clock-digits"), /^7\.1/);
        assert.match(await text(page, ".clock-verdict"), /Within the target of 30 s/);
        assert.match(await text(page, "[data-mark=R5] dd"), /^\+7\.1/);
        await see(page, ".recorder", /R0 Last good answer.*R3 First step sent.*Pin East out.*R5 Good answers again/s);
        await accessible(page, "run");
        await page.screenshot({ path: join(shots, "run-ended.en.light.png"), fullPage: true });
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

test("why and why not show every gate with its value; a code from a later server keeps its English", async () => {
    fake.scene = "semi_quiet";
    await with_page({ locale: "zh-CN" }, async (page) => {
        await page.click(`[data-test="why-${scenes.kScenario}"]`);
        await see(page, "[data-gate=votes]", /足够多的外部观察点看到该站点失效.*0 \/ 3.*2 \/ 3/s);
        await see(page, "[data-gate=trigger]", /触发条件满足.*site\.down\(east\).*现为.*否.*需要.*是/s);
        await see(page, "[data-gate=mode]", /模式允许自动启动.*半自动.*自动/s);
        await see(page, "[data-gate=brand-new-rule]", /A rule that this console does not know yet/);
        assert.match(await page.locator(".why section").nth(0).locator("li").first().getAttribute("class"), /no/, "what is missing comes first");
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

test("a viewer sees everything and can start nothing", async () => {
    fake.scene = "offered";
    await with_page({ user: "viewer", password: "only looking around" }, async (page) => {
        assert.ok(await page.locator(".headline > button").isDisabled());
        assert.equal(await page.locator(".topbar-mode button").count(), 0);
        assert.ok(await page.locator(".segments button").first().isDisabled());
    });
});

test("a machine opens with its numbers, its lines over time and what could not be taken", async () => {
    await with_page({}, async (page) => {
        await page.click('[data-host="west/proc1"]');
        await page.waitForSelector(".chart canvas");
        await see(page, ".big-meters", /36\.2 %.*37\.9 %.*16 CPUs/s);
        await see(page, ".machine-panel", /\/mnt\/archive.*stuck/s);
        await page.waitForFunction(() => {
            const canvas = document.querySelector(".chart canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let coloured = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) coloured += 1;
            return coloured > 1500;
        }, undefined, kLimit);
        await accessible(page, "machine");
        await page.screenshot({ path: join(shots, "machine.en.light.png") });
        await page.click(".machine-panel .segments button:nth-child(3)");
        await page.waitForFunction(() => document.querySelector(".machine-panel .segments button:nth-child(3)").getAttribute("aria-pressed") === "true");
        await page.keyboard.press("Escape");
        await page.waitForSelector("dialog", { state: "detached" });
    });
});

test("names from agents stay text", async () => {
    fake.hosts_change = scenes.hostile_hosts;
    await with_page({}, async (page) => {
        await see(page, ".machine", /<img src=x onerror/);
        await page.click('[data-host="east/if1"]');
        await see(page, ".machine-panel", /<img src=x onerror/);
        await fits(page, "hostile names");
        assert.equal(await page.evaluate(() => window.hacked), undefined);
        assert.equal(await page.locator("img[src=x]").count(), 0);
        await page.screenshot({ path: join(shots, "hostile.en.light.png") });
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
        await page.waitForSelector(".banner.tone-bad", { timeout: 10_000 });
        await see(page, ".banner", /No news from the server for \d/);
        await see(page, "[data-test=freshness]", /Old data/);
        await page.screenshot({ path: join(shots, "stale.en.light.png") });
        fake.deaf = false;
        await page.waitForSelector(".banner.tone-bad", { state: "detached", timeout: 15_000 });
    });
});

test("a session that ends leads to sign-in, says so, and forgets what was shown", async () => {
    await with_page({}, async (page) => {
        fake.end_sessions();
        await page.waitForSelector("[name=password]", { timeout: 10_000 });
        await see(page, ".notice", /Your session has ended/);
        assert.doesNotMatch(await text(page, "body"), /East|mon-west/);
        await sign_in(page, "admin", kPassword);
    });
});

test("times are shown in UTC or local time, and the choices stay", async () => {
    await with_page({}, async (page) => {
        const hour = async () => Number((await text(page, "[data-test=clock]")).slice(0, 2));
        const local = await hour();
        await page.click("[data-test=zone]");
        await see(page, "[data-test=zone]", /^\s*UTC\s*$/);
        assert.ok([16, 15, 17].includes((await hour() - local + 24) % 24), "Shanghai is 8 hours ahead");
        await page.click("[data-test=language]");
        await see(page, "h1", /两个站点均在服务/);
        await page.click("[data-test=who]");
        await page.click("[data-test=theme]");
        await page.reload();
        await see(page, "h1", /两个站点均在服务/);
        assert.equal(await text(page, "[data-test=zone]"), "UTC");
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
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
        assert.ok(Date.now() - began < 30_000);
    });
});

test("it works on a phone", async () => {
    fake.scene = "offered";
    await with_page({ viewport: { width: 390, height: 844 }, hasTouch: true, locale: "zh-CN" }, async (page) => {
        await fits(page, "overview");
        const button = await page.locator(".headline > button").boundingBox();
        assert.ok(button.y + button.height < 844, "the button is in sight");
        await page.screenshot({ path: join(shots, "phone.zh.light.png"), fullPage: true });
        fake.put_run(scenes.finished_run());
        await page.goto(`${address}/#/runs/run-20261130-0001`);
        await page.waitForSelector("[data-run]");
        await fits(page, "run");
        await accessible(page, "phone run");
        await page.screenshot({ path: join(shots, "phone-run.zh.light.png"), fullPage: true });
    });
});
