// SPDX-License-Identifier: Apache-2.0
// What the browser tests share: a browser, a stand-in server for each test, and what can be asked of a page.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";
import { open_browser, open_page } from "./browser.mjs";
import { FakeServer } from "./fake_server.mjs";

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");
/** Where screenshots go. */
export const shots = join(root, "build/browser");
export const kPassword = "a calm and exact word";
export const kLimit = { timeout: 25_000 };

let browser;
/** The server of the test that runs. */
export let fake;
export let address;

before(async () => {
    mkdirSync(shots, { recursive: true });
    browser = await open_browser();
});
beforeEach(async () => {
    await fake?.stop();
    fake = new FakeServer(join(root, "build/console"));
    fake.users.set("admin", { password: kPassword, must_change: false, role: "admin" });
    address = await fake.start();
});
after(async () => {
    await browser?.close();
    await fake?.stop();
});

/** Signs in and hands the page to `story`; at the end nothing may have gone wrong unseen. */
export async function with_page(options, story) {
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
export async function sign_in(page, user, password) {
    await page.fill("[name=user]", user);
    await page.fill("[name=password]", password);
    await page.click("button[type=submit]");
    await page.waitForSelector("[data-test=headline]");
}
export const text = (page, selector) => page.locator(selector).first().innerText();
export async function see(page, selector, pattern) {
    await page.waitForFunction(
        ([where, source]) => [...document.querySelectorAll(where)].some((element) => new RegExp(source).test(element.textContent)),
        [selector, pattern.source], kLimit);
}
export async function accessible(page, what) {
    if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe);
    const found = await page.evaluate(`axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })`);
    const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(serious.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join("; ")}`), []);
}
/** Everything fits: nobody has to scroll sideways. */
export async function fits(page, what) {
    const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= seen, `${what} is ${wide} wide, the window ${seen}`);
}
/** The selector of the largest letters on the page. */
export function largest(page) {
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
