/** The hook in processes of its own: what is no OpenClaw sees nothing, and what cannot be patched says so once. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { registerEnvironment } from "../../harness/openclaw/register.ts";
import { newFolder } from "../../harness/temporary.ts";
import { project, hashTree } from "../patching/fixture.ts";

const { NODE_OPTIONS = "" } = registerEnvironment();
let root: string;
let state: string;

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function node(args: readonly string[], env: NodeJS.ProcessEnv = {}): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: state, OPENCLAW_STATE_DIR: state, NODE_OPTIONS, ...env },
  });
  return { status, stdout, stderr };
}

/** A package that is named openclaw and has no place for any patch point. */
beforeEach(() => {
  root = join(newFolder(), "node_modules", "openclaw");
  state = newFolder();
  mkdirSync(join(root, "dist"), { recursive: true });
  const manifest = { name: "openclaw", version: "2027.1.0", type: "module" };
  writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(root, "openclaw.mjs"), 'await import("./dist/entry.js");\n');
  const child =
    'import { spawnSync } from "node:child_process"; spawnSync(process.execPath, [process.argv[1], "x"], { stdio: "inherit" });';
  writeFileSync(
    join(root, "dist", "entry.js"),
    `${child.replace("; s", '; if (process.argv[2] !== "x") s')}\nconsole.log("started");\n`,
  );
});

const start = (env?: NodeJS.ProcessEnv): Ran => node([join(root, "openclaw.mjs"), "gateway"], env);

test("an OpenClaw that the patch does not fit starts unpatched and says so once, also for its children", () => {
  const { status, stdout, stderr } = start();
  expect({ status, stdout }).toEqual({ status: 0, stdout: "started\nstarted\n" });
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringMatching(
      /^\[openclaw-integrity\] OpenClaw in .* runs WITHOUT the patch: expected .* copies of the patch point .*; found 0/,
    ),
  ]);
});

test("with OPENCLAW_INTEGRITY=required it does not start, and ends with the code that its service does not restart", () => {
  const { status, stdout, stderr } = start({ OPENCLAW_INTEGRITY: "required" });
  expect({ status, stdout }).toEqual({ status: 78, stdout: "" });
  expect(stderr).toMatch(
    /^\[openclaw-integrity\] OpenClaw was not started, because OPENCLAW_INTEGRITY=required.*found 0/,
  );
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("with OPENCLAW_INTEGRITY=off nothing is looked at and nothing is said", () => {
  const before = hashTree(root);
  expect(start({ OPENCLAW_INTEGRITY: "off" })).toEqual({ status: 0, stdout: "started\nstarted\n", stderr: "" });
  expect(hashTree(root)).toEqual(before);
  expect(readdirSync(state)).toEqual([]);
});

test("an OpenClaw that lacks its package.json's version, or whose dist is empty, is no reason to fail", () => {
  writeFileSync(join(root, "package.json"), '{"name":"openclaw","type":"module"}');
  expect(start()).toMatchObject({ status: 0, stdout: "started\nstarted\n" });
});

const SEEN = `
const { NODE_OPTIONS, OPENCLAW_INTEGRITY_SAID } = process.env;
const seen = Object.getOwnPropertySymbols(globalThis).map(String).filter((name) => name.includes("openclaw"));
console.log(JSON.stringify({ OPENCLAW_INTEGRITY_SAID, own: seen, argv: process.execArgv, listeners: process.eventNames() }));
`;

test("a program that is not OpenClaw sees nothing of it but a mark, and nothing is written", () => {
  const folder = newFolder();
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "package.json"), '{"name":"something-else","type":"module"}');
  writeFileSync(join(folder, "dist", "openclaw-integrity.mjs"), "export const own = 1;");
  const file = join(folder, "dist", "main.mjs");
  writeFileSync(file, `import { own } from "./openclaw-integrity.mjs"; if (own !== 1) throw own;${SEEN}`);
  const { status, stdout, stderr } = node([file]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const plain = JSON.parse(node([file], { NODE_OPTIONS: "" }).stdout) as object;
  expect(JSON.parse(stdout)).toEqual({ ...plain, own: ["Symbol(openclaw-integrity.register.hooks)"] });
  expect(readdirSync(state)).toEqual([]);
});

test("a program that is not OpenClaw loads no more of it than the two small files of the hook", () => {
  const script =
    "console.log(JSON.stringify(process.moduleLoadList.filter((name) => /sqlite|child_process|crypto/.test(name))))";
  const loaded = (env: NodeJS.ProcessEnv): unknown => JSON.parse(node(["-e", script], env).stdout);
  expect(loaded({})).toEqual(loaded({ NODE_OPTIONS: "" }));
});

test("imports between OpenClaw's files lead to the same modules as without the hook", () => {
  const files = {
    "dist/entry.js": [
      'import "./near.js"; import "./linked.js"; import "./linked/deep.js"; import "./sub/below.js";',
      'import "./plugin/node_modules/old/index.js"; import "./plugin/script.js"; import "./near.js?again";',
      'await import("./missing.js").catch(({ code }) => console.log(code));',
      'await import("./fo%6fd.js").catch(({ code }) => console.log(code));',
    ].join("\n"),
    "dist/near.js": "console.log(import.meta.url);",
    "dist/food.js": "console.log(import.meta.url);",
    "dist/real/deep.js": 'console.log(import.meta.url); import "../near.js";',
    "dist/sub/below.js": 'console.log(import.meta.url); import "../near.js"; import "./../near.js";',
    "dist/plugin/package.json": '{"name":"plugin"}',
    "dist/plugin/script.js": 'console.log(typeof require, __filename); require("./other.js");',
    "dist/plugin/other.js": "console.log(typeof module, __filename);",
    "dist/plugin/node_modules/old/index.js":
      'console.log(typeof require); require("./second.js"); import("./second.js");',
    "dist/plugin/node_modules/old/second.js": "console.log(typeof module);",
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  symlinkSync("real", join(root, "dist", "linked"));
  symlinkSync("real/deep.js", join(root, "dist", "linked.js"));
  const { status, stdout } = start();
  const plain = start({ NODE_OPTIONS: "" });
  expect({ status, stdout }).toEqual({ status: 0, stdout: plain.stdout });
  expect(plain.stdout).toContain("dist/real/deep.js");
  expect(plain.stdout).toContain("ERR_MODULE_NOT_FOUND");
});

test("a Node without the hooks that it needs says so in OpenClaw, and nothing elsewhere", () => {
  const old = join(newFolder(), "old-node.cjs");
  writeFileSync(old, 'const own = require("node:module"); delete own.registerHooks; own.syncBuiltinESMExports();');
  const env = { NODE_OPTIONS: `--require=${old} ${NODE_OPTIONS}` };
  expect(node(["-e", "console.log(1)"], env)).toEqual({ status: 0, stdout: "1\n", stderr: "" });
  const { status, stdout, stderr } = start(env);
  expect({ status, stdout }).toEqual({ status: 0, stdout: "started\nstarted\n" });
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/WITHOUT the patch: expected Node 22\.15.*npx openclaw-integrity apply/),
  ]);
  expect(start({ ...env, OPENCLAW_INTEGRITY: "required" })).toMatchObject({ status: 78, stdout: "" });
});

test("node --import alone reaches what OpenClaw starts, and a hook that is named twice does no harm", async () => {
  const { stock } = await ensureRelease("2026.9.6");
  const child = "console.log(process.env.NODE_OPTIONS ?? '')";
  const chunk = pathToFileURL(join(stock, "dist", "entry.js")).href;
  // Any file of dist makes the hook look for the patch.
  const version = readdirSync(join(stock, "dist")).find((name) => /^string-coerce-.*\.mjs$/.test(name));
  const url = chunk.replace("entry.js", version ?? "");
  const script = `await import(${JSON.stringify(url)}); const { execFileSync } = await import("node:child_process");
    console.log(execFileSync(process.execPath, ["-e", ${JSON.stringify(child)}], { encoding: "utf8" }).trim());`;
  const alone = node([...NODE_OPTIONS.split(" "), "--input-type=module", "-e", script], { NODE_OPTIONS: "" });
  expect(alone).toEqual({ status: 0, stdout: `${NODE_OPTIONS}\n`, stderr: "" });
  const twice = node([...NODE_OPTIONS.split(" "), "--input-type=module", "-e", script]);
  expect(twice).toEqual({ status: 0, stdout: `${NODE_OPTIONS}\n`, stderr: "" });
});

const MARKED =
  'console.log(JSON.stringify(globalThis[Symbol.for("openclaw-integrity.register")]?.map(({ release, refused }) => ({ release, refused }))))';

test("the hook and OpenClaw in folders with blanks, percent signs and letters beyond ASCII", async () => {
  const above = join(newFolder(), "ein Ordner ü & 5% #1", "node_modules");
  const { root: real, files } = await project("2026.9.6");
  cpSync(real, join(above, "openclaw"), { recursive: true });
  const dist = join(above, "openclaw-integrity", "dist");
  cpSync(fileURLToPath(new URL("../../dist/register", import.meta.url)), join(dist, "register"), { recursive: true });
  cpSync(fileURLToPath(new URL("../../dist/guard.mjs", import.meta.url)), join(dist, "guard.mjs"));
  const url = JSON.stringify(pathToFileURL(join(above, "openclaw", files[0]!)).href);
  const script = `import(${url}).catch(() => {}).then(() => ${MARKED})`;
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(dist, "register", "index.mjs")).href}` };
  expect(node(["-e", script], env)).toEqual({ status: 0, stdout: '[{"release":"2026.9.6"}]\n', stderr: "" });
});

describe("with a file of a real release", () => {
  let file: string;
  let cache: string;
  beforeEach(async () => {
    const { root: real, files } = await project("2026.9.6");
    file = join(real, files[0]!);
    cache = join(state, "integrity", "register");
  });

  // The rest of OpenClaw is missing; the file itself is loaded before Node finds that out.
  const load = (env?: NodeJS.ProcessEnv): Ran =>
    node(["-e", `import(${JSON.stringify(pathToFileURL(file).href)}).catch(({ code }) => console.log(code))`], env);
  const fine = { status: 0, stdout: "ERR_MODULE_NOT_FOUND\n", stderr: "" };

  test("what was worked out once is taken from the cache; a truncated entry is worked out again and replaced", () => {
    expect(load()).toEqual(fine);
    const entry = join(cache, readdirSync(cache)[0]!);
    const [first, written] = [readFileSync(entry, "utf8"), statSync(entry).ctimeMs];
    expect(load()).toEqual(fine);
    expect(statSync(entry).ctimeMs).toBe(written);
    truncateSync(entry, 1000);
    expect(load()).toEqual(fine);
    expect(readFileSync(entry, "utf8")).toBe(first);
  });

  test("a cache that others could have written is not read, and the user is told what to do", () => {
    load();
    chmodSync(cache, 0o777);
    const { status, stderr } = load({ OPENCLAW_INTEGRITY: "required" });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(
        /^\[openclaw-integrity\] .* is not used, because others can write to it \(mode 0777\).*chmod go-w/,
      ),
    });
  });

  test("a file that was changed in its place since then is not patched by the old lines", () => {
    load();
    writeFileSync(file, `${readFileSync(file, "utf8")}\n// changed`);
    const said = /expected dist\/.* as published with OpenClaw 2026\.9\.6.*found another file.*Reinstall/;
    expect(load()).toMatchObject({ status: 0, stderr: expect.stringMatching(said) });
    expect(load({ OPENCLAW_INTEGRITY: "required" })).toMatchObject({ status: 78, stderr: expect.stringMatching(said) });
  });

  test("gateways that start at once on an empty cache all run patched, and leave one whole entry", async () => {
    const script = `import(${JSON.stringify(pathToFileURL(file).href)}).catch(({ code }) => process.exit(code === "ERR_MODULE_NOT_FOUND" ? 0 : 1))`;
    const env = { PATH: process.env["PATH"], HOME: state, OPENCLAW_STATE_DIR: state, NODE_OPTIONS };
    const children = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ["-e", script], {
        stdio: "inherit",
        env: { ...env, OPENCLAW_INTEGRITY: "required" },
      }),
    );
    const ends = await Promise.all(children.map((child) => once(child, "exit")));
    expect(ends.map(([code]) => code as unknown)).toEqual([0, 0, 0]);
    expect(readdirSync(cache)).toHaveLength(1);
    const entry = join(cache, readdirSync(cache)[0]!);
    const written = statSync(entry).ctimeMs;
    expect(load()).toEqual(fine);
    expect(statSync(entry).ctimeMs).toBe(written);
  });

  const loadAndTell = (): string =>
    `import(${JSON.stringify(pathToFileURL(file).href)}).catch(() => {}).then(() => ${MARKED})`;
  const patched = '[{"release":"2026.9.6"}]\n';

  test("a worker thread that is started from a file is patched too", () => {
    const worker = join(newFolder(), "worker.mjs");
    writeFileSync(worker, loadAndTell());
    const script = `new (require("node:worker_threads").Worker)(${JSON.stringify(worker)})`;
    expect(node(["-e", script])).toEqual({ status: 0, stdout: patched, stderr: "" });
  });

  test("a worker thread that gets no options is patched too, when only the command line named the hook", () => {
    const worker = join(newFolder(), "worker.mjs");
    writeFileSync(worker, loadAndTell());
    const script = `import(${JSON.stringify(pathToFileURL(file).href)}).catch(() => {}).then(() =>
      new (require("node:worker_threads").Worker)(${JSON.stringify(worker)}, { execArgv: [] }))`;
    const ran = node([...NODE_OPTIONS.split(" "), "-e", script], { NODE_OPTIONS: "" });
    expect(ran).toEqual({ status: 0, stdout: patched, stderr: "" });
  });

  test("under Node's permission model it patches, and says what it may not store", () => {
    const { status, stdout, stderr } = node(["--permission", "--allow-fs-read=*", "-e", loadAndTell()]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: patched });
    expect(stderr.trim().split("\n")).toEqual([expect.stringMatching(/could not be stored in .*a second longer/)]);
  });
});
