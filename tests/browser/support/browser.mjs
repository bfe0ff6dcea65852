// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium, driven by playwright-core. It asks nobody but the server under test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const kFlags = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];

/** @returns {Promise<{context: (options?: object) => Promise<import("playwright-core").BrowserContext>, close: () => Promise<void>}>} */
export async function open_browser() {
    const home = mkdtempSync(join(tmpdir(), "twinsite-browser."));
    const browser = await chromium.launch({
        executablePath: process.env.TWINSITE_CHROMIUM ?? "/usr/bin/chromium", headless: true, args: kFlags, env: { ...process.env, HOME: home },
    });
    return {
        context: (options = {}) => browser.newContext({
            viewport: { width: 1366, height: 768 }, locale: "en-GB", timezoneId: "Asia/Shanghai", ignoreHTTPSErrors: true, ...options,
        }),
        async close() {
            await browser.close();
            rmSync(home, { recursive: true, force: true });
        },
    };
}

/** A page that remembers everything that must not happen: errors, refused resources, foreign requests. */
export async function open_page(context, address) {
    const page = await context.newPage();
    const troubles = [];
    page.on("pageerror", (error) => troubles.push(`page error: ${error.stack ?? error}`));
    page.on("console", (message) => {
        // A status of 400 and more is part of some stories; the browser writes each as an error.
        if (message.type() === "error" && !/Failed to load resource/.test(message.text())) troubles.push(`console: ${message.text()}`);
        if (message.type() === "warning") troubles.push(`console warning: ${message.text()}`);
    });
    page.on("request", (request) => {
        if (!request.url().startsWith(address) && !request.url().startsWith("data:")) troubles.push(`outside request: ${request.url()}`);
    });
    return { page, troubles };
}
