/** `openclaw-integrity setup` and its way back, on a whole OpenClaw 2026.9.6. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { newFolder } from "../../harness/temporary.ts";
import { status } from "../../src/patching/apply.ts";
import { shareTree } from "../../src/patching/write/copy-tree.ts";
import { hashTree } from "../patching/fixture.ts";
import { cli, newProject, projectWith, userEnvironment, type Run } from "./fixture.ts";

const CONFIG = '{\n  // mine\n  "gateway": { "mode": "local" }\n}\n';

let folder: string;
let root: string;
let home: string;
let config: string;
beforeEach(async () => {
  const { stock } = await ensureRelease("2026.9.6");
  folder = newProject();
  root = join(folder, "node_modules", "openclaw");
  shareTree(join(stock, ".."), join(folder, "node_modules"));
  home = newFolder();
  config = join(home, ".openclaw", "openclaw.json");
  mkdirSync(join(home, ".openclaw"));
  writeFileSync(config, CONFIG);
});

const run = (...args: string[]): Run => cli(["setup", ...args], folder, userEnvironment(home));
const dist = (): object => hashTree(join(root, "dist"));

it("patches, proves and installs the plugin that keeps the patch; --undo gives every byte back", () => {
  const before = dist();
  const asked = run();
  expect([asked.status, dist(), readFileSync(config, "utf8")]).toEqual([1, before, CONFIG]);
  expect(asked.stderr).toContain("expected --yes, or a terminal at which a person can be asked");
  expect(asked.stdout).toContain("1. patch OpenClaw 2026.9.6");

  const done = run("--yes");
  expect([done.status, done.stderr]).toEqual([0, expect.any(String)]);
  expect(done.stdout).toContain("7 of 7 sessions answered");
  expect(done.stdout).toContain("undo: openclaw-integrity setup --undo");
  expect(status(root).state).toBe("patched");
  expect(readFileSync(config, "utf8")).toContain("keepPatched");
  expect(run("--json").data).toMatchObject({ ok: true, action: "already", parts: [] });

  expect(run("--undo", "--yes").status).toBe(0);
  expect([dist(), readFileSync(config, "utf8")]).toEqual([before, CONFIG]);
  expect(run("--undo", "--json").data).toMatchObject({ ok: true, action: "already" });
}, 400_000);

it("leaves what the user had done before it: a patch that was there stays after --undo", () => {
  cli(["apply"], folder, userEnvironment(home));
  expect(run("--yes", "--json").data).toMatchObject({ ok: true, parts: ["plugin"] });
  const { status: code, stdout } = run("--undo", "--yes");
  expect(code).toBe(0);
  expect(stdout).toContain("stays, because it was there before setup: the patch, so that OpenClaw is still patched.");
  expect(stdout).toContain(`openclaw-integrity revert --path ${root}`);
  expect([status(root).state, readFileSync(config, "utf8")]).toEqual(["patched", CONFIG]);
}, 400_000);

it("is completed or undone after a kill in its middle", async () => {
  const before = dist();
  const child = spawn(process.execPath, [MAIN, "setup", "--yes"], { cwd: folder, env: userEnvironment(home) });
  while (!existsSync(join(root, "dist", "openclaw-integrity.mjs")))
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(run("--undo", "--yes").status).toBe(0);
  expect([dist(), readFileSync(config, "utf8")]).toEqual([before, CONFIG]);
}, 400_000);

it("undoes the patch of this run when the config forbids plugins, and names the way without the plugin", async () => {
  writeFileSync(config, '{ "plugins": { "enabled": false } }');
  const before = dist();
  const refused = run("--yes");
  expect([refused.status, dist()]).toEqual([1, before]);
  expect(refused.stderr).toContain("plugins.enabled");
});

it("refuses a release that does not fit before anything is changed", async () => {
  const small = await projectWith("2026.9.6");
  const chunk = Object.keys(hashTree(small.root)).find((file) => /compact-.*\.mjs$/.test(file))!;
  const text = readFileSync(join(small.root, chunk), "utf8");
  writeFileSync(join(small.root, chunk), text.replaceAll("limitHistoryTurns", "limited"));
  const before = hashTree(small.root);
  const refused = cli(["setup", "--yes", "--json"], small.folder, userEnvironment(home));
  expect([refused.status, refused.data["code"]]).toEqual([1, "openclaw-modified"]);
  expect(hashTree(small.root)).toEqual(before);
});
