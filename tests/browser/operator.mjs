// SPDX-License-Identifier: Apache-2.0
// An operator at the console of a server that runs: a real browser does what the words say, in order.
//
// usage: node tests/browser/operator.mjs --url https://127.0.3.30:8443 --password-file FILE [OPTION...] WORD...
//   --user NAME            admin
//   --password TEXT        used first; when it is not taken, the one-time password in the file is, and this is set
//   --language en|zh  --theme light|dark  --size 1366x768
// words, each with its own time limit in seconds where it waits:
//   headline=KEY[,SECONDS]     waits until the big line is KEY: ok, lost_out, out_ready, ...
//   shot=FILE                  takes a screenshot
//   start=SCENARIO,REASON      its button, the reason, the name typed, the button; waits for the run's page
//   run=STATE[,SECONDS]        waits until the run on the page is so: succeeded, failed, ...
//   page=ADDRESS               goes to #/..., for example page=#/machines/east/if1
//   see=TEXT[,SECONDS]         waits until the page says TEXT
// Prints one line for each word. Exits 0 when all came true and the page had no error.
import { readFileSync } from "node:fs";
import { open_browser, open_page } from "./support/browser.mjs";

const options = { user: "admin", password: "correct horse battery", language: "en", theme: "light", size: "1366x768" };
const words = [];
const given = process.argv.slice(2);
while (given.length) {
    const word = given.shift();
    if (word.startsWith("--")) options[word.slice(2)] = given.shift();
    else words.push(word);
}
if (!options.url || !words.length) {
    console.error("usage: node tests/browser/operator.mjs --url URL --password-file FILE [OPTION...] WORD...   (see its head)");
    process.exit(2);
}

const started = Date.now();
const say = (text) => console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);

async function try_to_sign_in(page, password) {
    await page.fill("[name=user]", options.user);
    await page.fill("[name=password]", password);
    await page.click("button[type=submit]");
    const next = await page.waitForSelector("[data-test=headline], .waiting, [name=new], [role=alert]");
    return (await next.getAttribute("role")) !== "alert";
}

async function sign_in(page) {
    await page.goto(options.url);
    await page.waitForSelector("[name=user]");
    if (await try_to_sign_in(page, options.password)) return;
    const once = readFileSync(options["password-file"], "utf8").trim();
    if (!await try_to_sign_in(page, once)) throw new Error("neither password is taken");
    if (!await page.locator("[name=new]").count()) return;
    await page.fill("[name=new]", options.password);
    await page.fill("[name=again]", options.password);
    await page.click("button[type=submit]");
    await page.waitForSelector("[data-test=headline], .waiting");
    say("the one-time password is used, a new one is set");
}

const verbs = {
    headline: (page, key, seconds = "30") =>
        page.waitForSelector(`[data-test=headline][data-key="${key}"]`, { timeout: seconds * 1000 }),
    shot: async (page, file) => {
        await page.waitForTimeout(300);
        await page.screenshot({ path: file, fullPage: true });
    },
    start: async (page, scenario, reason) => {
        await page.goto(`${options.url}/#/`);
        await page.locator(`[data-test="start-${scenario}"]`).first().click();
        await page.fill("dialog [name=reason]", reason);
        await page.fill("dialog [name=name]", scenario);
        await page.click("[data-test=confirm-start]");
        const next = await page.waitForSelector("[data-run], dialog [role=alert]");
        if (await next.getAttribute("role") === "alert") throw new Error(await next.innerText());
    },
    run: (page, state, seconds = "60") => page.waitForSelector(`[data-run][data-state=${state}]`, { timeout: seconds * 1000 }),
    page: (page, where) => page.goto(`${options.url}/${where}`),
    see: (page, text, seconds = "30") => page.getByText(text).first().waitFor({ timeout: seconds * 1000 }),
};

const browser = await open_browser();
let code = 0;
try {
    const [width, height] = options.size.split("x").map(Number);
    const context = await browser.context({
        viewport: { width, height }, locale: options.language === "zh" ? "zh-CN" : "en-GB", colorScheme: options.theme,
    });
    context.setDefaultTimeout(20_000);
    const { page, troubles } = await open_page(context, options.url);
    try {
        await sign_in(page);
        say(`signed in as ${options.user}`);
        for (const word of words) {
            const cut = word.indexOf("=");
            const verb = verbs[word.slice(0, cut)];
            if (!verb) throw new Error(`unknown word ${word}`);
            await verb(page, ...word.slice(cut + 1).split(","));
            say(word);
        }
    } catch (error) {
        console.error(String(error.message ?? error).split("\n").slice(0, 3).join("\n"));
        const line = await page.locator("[data-test=headline], [data-run] h1").first().innerText().catch(() => "");
        if (line) console.error(`the page says: ${line.replace(/\s+/g, " ")}`);
        code = 1;
    }
    for (const trouble of troubles) console.error(trouble);
    if (troubles.length) code = 1;
} finally {
    await browser.close();
}
process.exit(code);
