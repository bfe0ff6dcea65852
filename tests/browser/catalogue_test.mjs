// SPDX-License-Identifier: Apache-2.0
// The two catalogues say the same things, and whatever the page asks for is in them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { en } from "../../switchover/console/i18n/en.js";
import { zh } from "../../switchover/console/i18n/zh.js";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const console_folder = join(root, "switchover/console");

function sources(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return entry.name === "i18n" ? [] : sources(path);
        return entry.name.endsWith(".js") ? [{ path, text: readFileSync(path, "utf8") }] : [];
    });
}

const words_of = (text) => (text.match(/\{\w+\}/g) ?? []).sort().join(" ");

test("both languages have the same keys, none empty, with the same words to fill in", () => {
    assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
    for (const key of Object.keys(en)) {
        assert.ok(en[key].trim() && zh[key].trim(), `${key} is empty`);
        assert.equal(words_of(zh[key]), words_of(en[key]), key);
    }
});

test("Chinese texts are Chinese", () => {
    const same_in_both = new Set(["fact.rto", "list.comma", "value.count"]);
    for (const [key, text] of Object.entries(zh))
        assert.ok(same_in_both.has(key) || /[\u4e00-\u9fff]/.test(text), `${key} is not translated: ${text}`);
});

test("every key that the page names is there, and none is there for nothing", () => {
    const used = new Set();
    const begun = new Set();
    for (const { path, text } of sources(console_folder)) {
        for (const [, key] of text.matchAll(/["'`]([a-z_]+(?:\.[A-Za-z0-9_-]+)+)["'`]/g)) if (key in en) used.add(key);
        for (const [, key] of text.matchAll(/\bt\("([^"]+)"/g)) assert.ok(key in en, `${path} asks for ${key}`);
        for (const [, start] of text.matchAll(/`([a-z_.]+\.)\$\{/g)) begun.add(start);
        // t(condition ? "a" : "b")
        for (const [, choice] of text.matchAll(/\bt\(([^()"]*\?[^()]*)\)/g))
            for (const [, key] of choice.matchAll(/"([a-z_]+\.[A-Za-z0-9_.]+)"/g)) assert.ok(key in en, `${path} asks for ${key}`);
    }
    const begins = [...begun, "headline."];
    for (const key of Object.keys(en))
        assert.ok(used.has(key) || begins.some((start) => key.startsWith(start)), `nobody asks for ${key}`);
});

test("every code of the gates is translated", () => {
    const header = readFileSync(join(root, "switchover/model/gate.hpp"), "utf8");
    const codes = [...header.matchAll(/std::string_view k\w+ = "([^"]+)"/g)].map(([, code]) => code);
    assert.ok(codes.length > 30, "the codes are read from the header");
    for (const code of codes) assert.ok(`gate.${code}` in en, `gate.${code} is missing`);
});

test("every alarm is translated", () => {
    const source = readFileSync(join(root, "switchover/alarms.cpp"), "utf8");
    const named = [...source.matchAll(/\badd(?:_group)?\(\s*to,\s*(?:offered \? )?"([a-z-]+)"(?: : "([a-z-]+)")?/g)].flatMap(([, a, b]) => [a, b]).filter(Boolean);
    assert.ok(named.length > 12, "the codes are read from the source");
    for (const code of named) assert.ok(`alarm.${code}` in en, `alarm.${code} is missing`);
});

test("every state of runs and steps is translated", () => {
    const source = readFileSync(join(root, "switchover/scenario/run.hpp"), "utf8");
    const states = (name) => /\{([^}]*)\}/.exec(source.slice(source.indexOf(`enum class ${name}`)))[1]
        .replace(/\/\/.*$/gm, "").split(",").map((word) => word.trim()).filter(Boolean);
    for (const state of states("RunState")) assert.ok(`run.${state}` in en, `run.${state} is missing`);
    for (const state of states("StepState")) assert.ok(`step.${state}` in en, `step.${state} is missing`);
});
