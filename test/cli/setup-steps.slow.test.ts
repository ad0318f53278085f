/** What `setup` plans, refuses and undoes, where no OpenClaw has to run. Whole setups are in setup.slow.test.ts. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { asNobody, NOBODY, reachable, runAsNobody } from "../../harness/nobody.ts";
import { newFolder } from "../../harness/temporary.ts";
import { assertUnchanged } from "../../src/cli/setup/alone.ts";
import { readRecord } from "../../src/patching/write/record.ts";
import { hashTree } from "../patching/fixture.ts";
import { cli, projectWith, userEnvironment, type Run } from "./fixture.ts";

const HOOK = pathToFileURL(fileURLToPath(new URL("../../dist/register/index.mjs", import.meta.url))).href;
const NEXT = ["systemctl --user daemon-reload", "systemctl --user restart openclaw-gateway.service"];

let folder: string;
let root: string;
let home: string;
let state: string;
beforeEach(async () => {
  ({ folder, root } = await projectWith("2026.9.6"));
  home = newFolder();
  state = join(home, ".openclaw");
  mkdirSync(join(state, "integrity"), { recursive: true });
});

const run = (...args: string[]): Run => cli(["setup", ...args], folder, userEnvironment(home));
const record = (parts: readonly string[], of = root): void =>
  writeFileSync(join(state, "integrity", "setup.json"), JSON.stringify({ version: 1, root: of, parts }));
const service = (): void => {
  const units = join(home, ".config", "systemd", "user");
  mkdirSync(units, { recursive: true });
  const unit = `[Service]\nExecStart=${process.execPath} ${root}/dist/index.js gateway\n`;
  writeFileSync(join(units, "openclaw-gateway.service"), unit);
};

describe("two setups at once", () => {
  const lock = (): string => join(state, "integrity", "setup.lock");

  test("the second one is refused before it changes anything, and a killed one keeps nobody out", async () => {
    service();
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    try {
      writeFileSync(lock(), JSON.stringify({ pid: other.pid }));
      const refused = run("--way", "register", "--no-plugin", "--yes");
      expect(refused.status).toBe(1);
      expect(refused.stderr).toContain(`found that process ${other.pid} is setting up or undoing`);
      expect(existsSync(join(state, "integrity", "setup.json"))).toBe(false);
    } finally {
      other.kill("SIGKILL");
      await once(other, "exit");
    }
    const env = userEnvironment(home);
    expect(cli(["status"], folder, env).stdout).toContain("a setup was killed before its end");
    expect(cli([], folder, env).stdout).toContain("Not all that setup has begun is there.");
    expect(run("--way", "register", "--no-plugin", "--yes").status).toBe(0);
    expect(cli(["status"], folder, env).stdout).not.toContain("killed");
    expect(existsSync(lock())).toBe(false);
    // The same for what undoes it.
    writeFileSync(lock(), JSON.stringify({ pid: process.pid }));
    expect(run("--undo", "--yes")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is setting up or undoing"),
    });
    expect(readFileSync(join(state, "integrity", "setup.json"), "utf8")).toContain("service");
    rmSync(lock());
    expect(run("--undo", "--yes").status).toBe(0);
  });

  test("one that has planned before the other ended is told to plan anew", async () => {
    service();
    const seen = { root, parts: ["plugin"] } as const;
    process.env["OPENCLAW_STATE_DIR"] = state;
    try {
      record(["service"]);
      expect(() => assertUnchanged(seen)).toThrow("another setup has changed it since");
      record(["plugin"]);
      assertUnchanged(seen);
    } finally {
      delete process.env["OPENCLAW_STATE_DIR"];
    }
  });
});

describe("--way register without a service", () => {
  test("is told from the start what a person has to do, in lines that can be pasted, and is not called done", () => {
    const asked = run("--way", "register", "--dry-run");
    expect(asked).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("patched in memory when the gateway is"),
    });
    const done = run("--way", "register", "--no-plugin", "--yes");
    expect(done.status).toBe(3);
    expect(done.stdout).toContain("a start of the gateway as before is NOT patched");
    expect(done.stdout).not.toMatch(/nothing to do|done/);
    const line = /^ +(export NODE_OPTIONS=.*)$/m.exec(done.stdout)?.[1];
    const said = execFileSync("sh", ["-c", `${line}; printf %s "$NODE_OPTIONS"`], { env: {}, encoding: "utf8" });
    expect(said).toBe(`--import=${HOOK}`);
    expect(said).toBe(cli(["run", "--", "printenv", "NODE_OPTIONS"], folder, userEnvironment(home)).stdout.trim());
    const told = { ok: false, action: "start-by-hand", starts: "by-hand", startsPatched: false };
    expect(run("--way", "register", "--no-plugin", "--json").data).toMatchObject(told);
  });

  test("is nothing to do in a shell that has the hook", () => {
    const env = { ...userEnvironment(home), NODE_OPTIONS: `--import=${HOOK}` };
    expect(cli(["setup", "--way", "register", "--no-plugin"], folder, env)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("nothing to do"),
    });
  });

  test("says of patched files that they stay", () => {
    cli(["apply", "--no-prove"], folder, userEnvironment(home));
    const { status, stdout } = run("--way", "register", "--no-plugin");
    expect([status, stdout]).toEqual([0, expect.stringContaining("its files are patched already, and stay so")]);
    expect(stdout).toContain("openclaw-integrity revert");
  });
});

test.skipIf(asNobody.uid === undefined)("a user who may not write to OpenClaw is told the same", () => {
  const open = mkdtempSync(join(tmpdir(), "set-up-"));
  try {
    chmodSync(open, 0o755);
    cpSync(root, join(open, "openclaw"), { recursive: true });
    mkdirSync(join(open, "home"));
    chownSync(join(open, "home"), NOBODY, NOBODY);
    const args = ["setup", "--no-plugin", "--yes", "--path", join(open, "openclaw")];
    const env = userEnvironment(join(open, "home"));
    const { status, stdout } = runAsNobody([reachable(MAIN), ...args], { cwd: open, env });
    expect(status).toBe(3);
    expect(stdout).toContain("NOT patched");
    expect(stdout).toContain("because this user cannot write to");
    expect(stdout).toContain("export NODE_OPTIONS=--import=file:");
  } finally {
    rmSync(open, { recursive: true });
  }
});

test.skipIf(process.platform !== "linux")(
  "--way register with a service says what service install says, in JSON too, and --undo likewise",
  () => {
    service();
    const before = hashTree(home);
    expect(run("--way", "register", "--no-plugin", "--yes", "--json")).toMatchObject({
      status: 0,
      data: { action: "set-up", starts: "service", startsPatched: true, next: NEXT },
    });
    expect(run("--way", "register", "--no-plugin").stdout).toContain("nothing to do");
    const undone = run("--undo", "--yes");
    expect(undone.stdout).toContain(NEXT.map((line) => `    ${line}`).join("\n"));
    expect(undone.stdout).not.toContain("openclaw gateway restart");
    expect(hashTree(home)).toEqual(before);
  },
);

test("--dry-run shows the plan of setup and of --undo, and changes nothing", () => {
  // By this text a release is known that has the setting.
  writeFileSync(join(root, "dist", "settings.mjs"), "export default 'allowConversationAccess';\n");
  const before = [hashTree(root), hashTree(home)];
  const planned = run("--dry-run");
  expect([planned.status, planned.stderr]).toEqual([0, ""]);
  expect(planned.stdout).toMatch(/1\. patch OpenClaw 2026\.9\.6.*\n.*setup --undo\)\n.*prove the patch/);
  expect(planned.stdout).toContain("the plugin may read conversations, which it needs to validate stored sessions");
  expect(planned.stdout).toMatch(/a running gateway [^\n]*\n  nothing was changed\n$/);
  const plan = [{ part: "patch" }, { part: "plugin" }];
  const told = { ok: true, action: "would-set-up", parts: ["patch", "plugin"], plan };
  expect(run("--dry-run", "--json").data).toMatchObject(told);
  expect([hashTree(root), hashTree(home)]).toEqual(before);
  cli(["apply", "--no-prove"], folder, userEnvironment(home));
  record(["patch"]);
  const patched = [hashTree(root), hashTree(home)];
  expect(run("--undo", "--dry-run")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("1. revert the patch"),
  });
  expect([hashTree(root), hashTree(home)]).toEqual(patched);
});

describe("--undo", () => {
  test("refuses another OpenClaw than the one that was set up, with the command for that one", async () => {
    cli(["apply", "--no-prove"], folder, userEnvironment(home));
    record(["patch"]);
    const other = await projectWith("2026.9.6");
    const before = hashTree(root);
    const refused = run("--undo", "--yes", "--path", other.folder);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(`set-up-elsewhere`);
    expect(refused.stderr).toContain(`openclaw-integrity setup --path ${root} --undo`);
    expect(hashTree(root)).toEqual(before);
    expect(run("--undo", "--yes", "--path", root).status).toBe(0);
  });

  test("offers only what is still there: a patch that was reverted is not reverted again", () => {
    cli(["apply", "--no-prove"], folder, userEnvironment(home));
    record(["patch"]);
    cli(["revert"], folder, userEnvironment(home));
    const { status, stdout, stderr } = run("--undo", "--yes");
    expect([status, stderr, existsSync(join(state, "integrity", "setup.json"))]).toEqual([0, "", false]);
    expect(stdout).toContain("is undone already");
  });

  test("with nothing to do says so in whole commands and without a warning", () => {
    const { status, stdout, stderr } = run("--undo");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const command of ["revert", "plugin uninstall", "service remove"])
      expect(stdout).toMatch(new RegExp(`^  \\S* ?openclaw-integrity ${command}$`, "m"));
  });

  test("refuses a record that is damaged, and setup does not write over it", () => {
    writeFileSync(join(state, "integrity", "setup.json"), "{");
    for (const args of [
      ["--undo", "--json"],
      ["--yes", "--json"],
    ])
      expect(run(...args)).toMatchObject({ status: 1, data: { code: "record-unreadable" } });
  });

  test.skipIf(asNobody.uid === undefined)("refuses a record without permission", () => {
    const open = mkdtempSync(join(tmpdir(), "set-up-"));
    try {
      chmodSync(open, 0o755);
      mkdirSync(join(open, "integrity"));
      writeFileSync(join(open, "integrity", "setup.json"), "{}", { mode: 0o600 });
      mkdirSync(join(open, "home"));
      chownSync(join(open, "home"), NOBODY, NOBODY);
      const env = { ...userEnvironment(join(open, "home")), OPENCLAW_STATE_DIR: open };
      const { status, stderr } = runAsNobody([reachable(MAIN), "setup", "--undo"], { cwd: dirname(open), env });
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("no permission (EACCES)") });
    } finally {
      rmSync(open, { recursive: true });
    }
  });
});

test("an empty HOME is refused: OpenClaw would keep its state in the current folder", () => {
  const env = { ...userEnvironment(home), HOME: "" };
  for (const args of [
    ["setup", "--yes"],
    ["setup", "--undo", "--yes"],
    ["plugin", "install", "--yes"],
  ])
    expect(cli([...args, "--json"], folder, env)).toMatchObject({ status: 1, data: { code: "home-missing" } });
  expect(existsSync(join(folder, ".openclaw"))).toBe(false);
});

describe("a part that fails", () => {
  const countExpected = (text: string): number => text.match(/expected/g)?.length ?? 0;

  test("is told in one sentence with the first cause, and that OpenClaw is as published", () => {
    const before = hashTree(root);
    // The small package does not start: nothing can be proven, with the guard or without, and no plugin be installed.
    const { status, stderr } = run("--yes", "--quiet");
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("refused (incomplete): ") });
    expect(stderr).toMatch(/OpenClaw is as published again\.\n$/);
    expect(stderr).not.toMatch(/found expected|\. \.|: expected every part/);
    expect(countExpected(stderr)).toBeLessThan(2);
    expect(hashTree(root)).toEqual(before);
  });

  test("a tested release that does not start without the guard either stays patched, as with apply", () => {
    const { status, stderr } = run("--yes", "--quiet", "--no-plugin");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/the patch stays, and is not proven: .*also with the guard off/),
    });
    expect(readRecord(userEnvironment(home))).toMatchObject([{ root, proof: "pending", run: { verdict: "release" } }]);
  });

  test("a proof that the machine prevented is none: the patch stays, and setup says that it is not proven", () => {
    const manifest = join(root, "package.json");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace("{", '{"engines": { "node": ">=99.0.0" },'));
    const { status, stderr } = run("--yes", "--quiet", "--no-plugin");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/the patch stays, and is not proven: .*needs Node >=99\.0\.0; found v/),
    });
    expect(readRecord(userEnvironment(home))).toMatchObject([
      { root, proof: "pending", run: { verdict: "environment" } },
    ]);
  });

  test("of which others were done before says that those were undone", () => {
    cli(["apply", "--no-prove"], folder, userEnvironment(home));
    service();
    const before = hashTree(home);
    const { status, stderr } = run("--yes", "--way", "register");
    expect(status).toBe(1);
    expect(stderr).toContain("Setup has undone the change of the service of this run too.");
    expect([countExpected(stderr), /found expected/.test(stderr)]).toEqual([1, false]);
    expect(hashTree(home)).toEqual(before);
  });
});

test.skipIf(process.getuid?.() !== 0 || process.platform !== "linux").each([
  [
    "a disk on which the record has room and the plugin's copy has not",
    'mount -t tmpfs -o size=1m tmpfs "$0"',
    "ENOSPC",
  ],
  [
    "a config in a folder that can only be read",
    'mkdir "$0/config"; export OPENCLAW_CONFIG_PATH="$0/config/openclaw.json"; mount --bind "$0/config" "$0/config"; mount -o remount,bind,ro "$0/config"',
    "EROFS",
  ],
])("%s: refused before OpenClaw is patched and proved", (_, mount, code) => {
  const { status, stdout, stderr } = spawnSync(
    "unshare",
    ["--mount", "sh", "-c", `${mount}; exec "$@"`, state, process.execPath, MAIN, "setup", "--yes"],
    { cwd: folder, env: userEnvironment(home), encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(code) });
  expect(stdout).not.toContain("patching");
});
