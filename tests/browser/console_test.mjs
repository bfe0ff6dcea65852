// SPDX-License-Identifier: Apache-2.0
// The console in a real Chromium against a stand-in server: what an operator sees. Screenshots go to
// build/browser. usage: node --test tests/browser/console_test.mjs
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { accessible, address, fake, fits, kLimit, largest, see, shots, text, with_page } from "./support/harness.mjs";
import * as scenes from "./support/scenes.mjs";

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
