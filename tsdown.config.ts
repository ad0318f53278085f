import { defineConfig, type Rolldown, type UserConfig } from "tsdown";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { keepLineComments } from "./scripts/guard/comments.ts";
import { putHeader } from "./scripts/guard/header.ts";
import { recordModules } from "./scripts/notices/modules.ts";

const shared = {
  format: "esm",
  platform: "node",
  outDir: "dist",
  minify: false,
  clean: false,
  hash: false,
  // How long each plugin took: a screen of text that tells a newcomer nothing.
  inputOptions: { checks: { pluginTimings: false } },
} as const;

/** Nothing is installed beside the package: what it needs is part of it. */
const withAll = { alwaysBundle: [/.*/], onlyBundle: false as const };

/** Lets the parts that nobody installs packages for have a pg of their own, which is evaluated at its first use. */
function bundlePg(): Rolldown.Plugin {
  return {
    name: "bundle-pg",
    transform(code, id) {
      if (!/[\\/]sql[\\/]pg-client\.ts$/.test(id)) return undefined;
      const bundled = code.replace('createRequire(import.meta.url)("pg")', 'require("pg")');
      if (bundled === code) throw new Error(`expected the place where ${id} loads pg; found none`);
      return bundled;
    },
  };
}

/** For what is imported, and read by nobody: stack traces keep the names of functions and classes. */
const minify = { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } } as const;

/** Docstrings are for callers, who have them in the types. */
const comments = { jsdoc: false };

const adapters = ["ai-sdk", "langchain", "openai-agents", "pi-agent-core"];
const pure = {
  transcript: "src/lists/index.ts",
  wire: "src/wire/index.ts",
  fetch: "src/fetch/index.ts",
  ...Object.fromEntries(adapters.map((name) => [name, `src/adapters/${name}.ts`])),
};
const stores = {
  integrity: "src/integrity/index.ts",
  journal: "src/journal/index.ts",
  observe: "src/observe/index.ts",
  continuity: "src/continuity/index.ts",
  "continuity-dbos": "src/continuity/dbos/index.ts",
};

function sharedNames({ name }: { name: string }): string {
  return `shared-${name.replace(/\.d$/, "")}${name.endsWith(".d") ? ".d.mts" : ".mjs"}`;
}

/** The types of what is built for both kinds of programs, and of what they share, for those that require. */
function copyTypes(entries: object): void {
  const names = new Set(Object.keys(entries));
  for (const name of names) {
    const types = readFileSync(`dist/${name}.d.mts`, "utf8");
    // A set that grows while it is walked is walked to its new end.
    for (const [, other] of types.matchAll(/from "\.\/(.*)\.mjs";/g)) names.add(other!);
    // The docstrings of the stores would be a tenth of the library once more.
    const kept = entries === stores ? types.replaceAll(/^[ \t]*\/\*\*[^]*?\*\/\n/gm, "") : types;
    writeFileSync(`dist/${name}.d.cts`, kept.replaceAll(/(from ".*)\.mjs";/g, '$1.cjs";'));
  }
}

/** Their Node can require a module, but a compiler believes that only of a file that is none. */
function writeBridges(): void {
  for (const name of Object.keys(stores))
    writeFileSync(`dist/${name}.cjs`, `"use strict";\nmodule.exports = require("./${name}.mjs");\n`);
}

/** Commands lie in folders and share names there: `continuity-mcp.mjs` of src/cli/continuity/mcp.ts. */
function chunkFileNames({ name, facadeModuleId }: { name: string; facadeModuleId?: string | null }): string {
  const folder = basename(dirname(facadeModuleId ?? ""));
  return facadeModuleId == null || folder === "cli" ? `${name}.mjs` : `${folder}-${name}.mjs`;
}

/** What goes inside OpenClaw: one file that needs nothing, on the oldest Node a base release runs on. */
function guard(outDir: string): UserConfig {
  return {
    ...shared,
    outDir,
    plugins: [recordModules("guard"), keepLineComments(), putHeader()],
    entry: { guard: "src/guard/index.ts" },
    target: "node22.12",
    dts: false,
    outputOptions: { codeSplitting: false, comments },
  };
}

export default defineConfig([
  guard("dist"),
  // The plugin applies it, and OpenClaw since 2026.9 runs a copy of the plugin's folder that has nothing beside it.
  guard("dist/plugin"),
  {
    ...shared,
    plugins: [recordModules("cli"), bundlePg()],
    outputOptions: { chunkFileNames, comments },
    deps: withAll,
    entry: {
      cli: "src/cli/main.ts",
      patching: "src/patching/index.ts",
      "prove-keeper": "src/prove/openclaw/keeper.ts",
      "prove-seal": "src/prove/openclaw/seal.ts",
      "prove-seeder": "src/prove/openclaw/seeder.ts",
    },
    target: "node20",
    dts: false,
  },
  // What `node --import openclaw-integrity/register` loads: it needs nothing beside it but the guard.
  {
    ...shared,
    plugins: [recordModules("register")],
    outputOptions: { comments },
    outDir: "dist/register",
    entry: {
      index: "src/register/entry.ts",
      protect: "src/register/protect.ts",
      engine: "src/register/engine.ts",
    },
    target: "node20",
    dts: false,
    deps: withAll,
  },
  // What needs no Node of its own: also for those who require it.
  {
    ...shared,
    format: ["esm", "cjs"],
    plugins: [recordModules("pure")],
    // A part that is loaded late may be of a newer version than what is loaded: letters would name other functions there.
    outputOptions: { minifyInternalExports: false },
    minify,
    entry: pure,
    target: "node20",
    dts: false,
  },
  {
    ...shared,
    plugins: [recordModules("pure-types")],
    entry: pure,
    target: "node20",
    dts: { emitDtsOnly: true },
    onSuccess: () => copyTypes(pure),
  },
  // What OpenClaw loads as a plugin: a folder that needs nothing beside it.
  {
    ...shared,
    plugins: [recordModules("plugin"), bundlePg()],
    outputOptions: { comments },
    outDir: "dist/plugin",
    entry: {
      index: "src/plugin/index.ts",
      worker: "src/plugin/remote/worker.ts",
      "store-process": "src/plugin/remote/store-process.ts",
      "continuity-parts": "src/plugin/continuity/parts.ts",
      "keep-process": "src/plugin/keep-patched/process.ts",
      "canary-process": "src/plugin/canary/process.ts",
      "prove-keeper": "src/prove/openclaw/keeper.ts",
      "prove-seal": "src/prove/openclaw/seal.ts",
      "prove-seeder": "src/prove/openclaw/seeder.ts",
    },
    target: "node22.12",
    dts: false,
    deps: withAll,
    copy: [{ from: ["src/plugin/package/*", "THIRD_PARTY_NOTICES"], to: "dist/plugin" }],
  },
  // What needs node:sqlite.
  {
    ...shared,
    plugins: [recordModules("stores")],
    // What continuity and continuity-dbos share is a chunk, which must not take the name of an entry.
    outputOptions: { chunkFileNames: sharedNames },
    minify,
    deps: { neverBundle: ["pg"], onlyBundle: false },
    entry: stores,
    target: "node22",
    dts: false,
    onSuccess: writeBridges,
  },
  {
    ...shared,
    plugins: [recordModules("types")],
    outputOptions: { chunkFileNames: sharedNames },
    entry: stores,
    target: "node22",
    dts: { emitDtsOnly: true },
    onSuccess: () => copyTypes(stores),
  },
]);
