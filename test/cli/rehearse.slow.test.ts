/** `setup --rehearse` that is killed, ended, refused, or meets a failing npm. A whole one is in rehearse-whole.heavy. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { cli } from "./fixture.ts";
import { INTEGRITY, makeRehearsal, type Rehearsal } from "./rehearsal.ts";

let next: string;
let folder: string;
let state: string;
let env: Rehearsal["env"];
let run: Rehearsal["run"];
let picture: Rehearsal["picture"];
beforeAll(async () => {
  ({ next, folder, state, env, run, picture } = await makeRehearsal());
});

it("a kill in the middle leaves a folder that status names, a second run respects while it is used, and --undo removes", async () => {
  const before = picture();
  const left = join(state, "integrity", "rehearsal");
  const args = [MAIN, "setup", "--rehearse", next, "--sessions", "1"];
  const child = spawn(process.execPath, args, { cwd: folder, env: env(), stdio: "ignore" });
  while (!existsSync(join(left, "next", "node_modules"))) await sleep(20);
  const second = run("--rehearse", next, "--json");
  expect([second.status, second.data["code"]]).toEqual([1, "rehearsal-running"]);
  expect(second.data["message"]).toContain(`process ${child.pid} rehearses one in ${left}`);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(existsSync(left)).toBe(true);
  expect(cli(["status"], folder, env()).stdout).toContain(`has left ${left}`);
  expect(run("--undo").stdout).toContain(`removed ${left}`);
  expect(readdirSync(dirname(left))).toEqual([]);
  // The folder of setup stays where a kill left it.
  expect(picture().filter((entry) => (entry as unknown[])[0] !== INTEGRITY)).toEqual(before);
}, 600_000);

it("Ctrl-C ends it and removes its folder, and says so", async () => {
  const before = picture();
  const args = [MAIN, "setup", "--rehearse", next, "--sessions", "1"];
  const child = spawn(process.execPath, args, { cwd: folder, env: env(), stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (text: Buffer) => void (said += String(text)));
  while (!said.includes("starting OpenClaw")) await sleep(20);
  child.kill("SIGINT");
  const [code] = (await once(child, "close")) as [number];
  expect([code, said]).toEqual([1, expect.stringContaining("found that it was ended. Its folder was removed.")]);
  expect(existsSync(join(state, "integrity", "rehearsal"))).toBe(false);
  expect(picture()).toEqual(before);
}, 600_000);

it("quotes npm where it fails, says what to do, and leaves nothing behind", () => {
  const before = picture();
  const unreachable = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };
  const failed = cli(["setup", "--rehearse", "2026.9.6"], folder, { ...env(), ...unreachable });
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain("refused (install-failed): expected npm install openclaw@2026.9.6");
  expect(failed.stderr).toMatch(/it printed: ".*ECONNREFUSED/);
  expect(failed.stderr).toContain("Check the version, the network and the disk, or name a tarball.");
  expect(picture()).toEqual(before);
}, 200_000);

it("wrong usage is told before anything is done", () => {
  for (const args of [["--rehearse", "^2026.9.0"], ["--rehearse", next, "--sessions", "0"], ["--switch"]])
    expect(run(...args).status, args.join(" ")).toBe(2);
  expect(run("--rehearse", next, "--undo").status).toBe(2);
});
