// SPDX-License-Identifier: Apache-2.0
// Copies the console's modules and those of its three libraries into one folder, with every bare
// import ("preact") made relative: so the page needs neither a bundler nor an import map, which a
// strict content security policy would have to name by its hash. Called by scripts/console.
import {
    cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "switchover/console");
const modules = join(root, "node_modules");
const output = process.argv[2] ?? "build/console";

// What is imported by a bare name -> where it comes from, what it is called here.
const libraries = new Map([
    ["preact", ["preact/dist/preact.mjs", "vendor/preact.js"]],
    ["preact/hooks", ["preact/hooks/dist/hooks.mjs", "vendor/preact-hooks.js"]],
    ["htm", ["htm/dist/htm.mjs", "vendor/htm.js"]],
    ["htm/preact", ["htm/preact/index.mjs", "vendor/htm-preact.js"]],
    ["uplot", ["uplot/dist/uPlot.esm.js", "vendor/uplot.js"]],
]);
const others = new Map([["uplot/dist/uPlot.min.css", "vendor/uplot.css"]]);
const licences = ["preact", "htm", "uplot"];
const shipped = /\.(js|css|html|svg)$/;

function walk(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)]);
}

function rewrite(text, target) {
    const bare = /(\bfrom\s*|\bimport\s*)(["'])([a-z@][\w@/.-]*)\2/g;
    return text.replace(bare, (_, head, quote, name) => {
        const library = libraries.get(name);
        if (!library) throw new Error(`${target}: nothing is known about the import "${name}"`);
        const path = relative(dirname(target), library[1]);
        return `${head}${quote}${path.startsWith(".") ? path : `./${path}`}${quote}`;
    });
}

const files = new Map();
for (const path of walk(source)) {
    const target = relative(source, path);
    if (shipped.test(target)) files.set(target, { path, imports: target.endsWith(".js") });
}
for (const [from, target] of libraries.values())
    files.set(target, { path: join(modules, from), imports: true });
for (const [from, target] of others) files.set(target, { path: join(modules, from), imports: false });

const newest = Math.max(
    ...[...files.values()].map(({ path }) => statSync(path).mtimeMs),
    ...walk(source).concat(source).map((path) => statSync(dirname(path)).mtimeMs),
    statSync(fileURLToPath(import.meta.url)).mtimeMs,
    statSync(join(root, "package-lock.json")).mtimeMs,
);
const stamp = join(output, ".built");
if (existsSync(stamp) && statSync(stamp).mtimeMs >= newest) process.exit(0);

// Into a new folder that then takes the old one's place: whoever starts meanwhile finds a whole one.
const fresh = `${output}.new`;
rmSync(fresh, { recursive: true, force: true });
for (const [target, { path, imports }] of files) {
    mkdirSync(dirname(join(fresh, target)), { recursive: true });
    if (!imports) {
        cpSync(path, join(fresh, target));
        continue;
    }
    const text = rewrite(readFileSync(path, "utf8"), target);
    writeFileSync(join(fresh, target), text.replace(/\n?\/\/# sourceMappingURL=.*\n?$/, "\n"));
}
const notices = licences.map((name) => {
    const { version } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
    return `${name} ${version}\n\n${readFileSync(join(modules, name, "LICENSE"), "utf8").trim()}\n`;
});
writeFileSync(join(fresh, "vendor/LICENSES.txt"), notices.join("\n----\n\n"));
writeFileSync(join(fresh, ".built"), "");
rmSync(output, { recursive: true, force: true });
mkdirSync(dirname(output), { recursive: true });
renameSync(fresh, output);
console.log(`console: ${files.size} files in ${output}`);
