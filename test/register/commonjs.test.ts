/** The way around a fault of earlier versions of Node, under this one: a module that is imported is the same without it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { hasFaultyRequire } from "../../src/register/hook/commonjs.ts";

const SOURCE = new URL("../../src/register/hook/commonjs.ts", import.meta.url);

test.each([
  ["22.15.0", true],
  ["22.22.2", true],
  ["22.23.0", false],
  ["23.11.1", true],
  ["24.0.0", true],
  ["24.11.1", true],
  ["24.12.0", false],
  ["25.0.0", false],
  ["26.1.0", false],
])("Node %s has the fault: %s", (version, is) => {
  expect(hasFaultyRequire(version)).toBe(is);
});

test("an imported module loads itself by require, once, and has the names and values of its exports", () => {
  const folder = newFolder();
  const files = {
    "main.mjs": [
      'import whole, { first } from "./whole.cjs"; import called from "./called.cjs"; import "./script.cjs";',
      'import { createRequire } from "node:module"; const own = createRequire(import.meta.url);',
      'console.log(first, Object.keys(whole), called(), own("./whole.cjs") === whole, globalThis.count);',
    ].join("\n"),
    "whole.cjs":
      'globalThis.count = (globalThis.count ?? 0) + 1; exports.first = 1; exports.circle = require("./circle/index.mjs").name;',
    "called.cjs": 'module.exports = require("./below.cjs");',
    "below.cjs": "const _cache = 2; const createRequire = 3; module.exports = () => _cache + createRequire;",
    "script.cjs":
      "#!/usr/bin/env node\nconsole.log(require.main === module, typeof require.cache, __filename.slice(-10));",
    "circle/index.mjs": 'export * from "./other.mjs"; export const name = "circle";',
    "circle/other.mjs": 'import { name } from "./index.mjs"; export const other = () => name;',
    "hook.mjs": [
      'import { registerHooks } from "node:module";',
      `import { throughRequire } from ${JSON.stringify(SOURCE.href)};`,
      "registerHooks({ load: (url, context, next) => throughRequire(next(url, context), context) });",
    ].join("\n"),
  };
  mkdirSync(join(folder, "circle"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const run = (...options: string[]): unknown => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...options, join(folder, "main.mjs")], {
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const plain = run();
  expect(plain).toEqual({
    status: 0,
    stdout: "false object script.cjs\n1 [ 'first', 'circle' ] 5 true 1\n",
    stderr: "",
  });
  expect(run("--import", pathToFileURL(join(folder, "hook.mjs")).href)).toEqual(plain);
});
