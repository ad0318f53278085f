/** `setup --rehearse`: OpenClaw 2026.9.6 beside a 2026.2.3 in use, whose files, config and sessions stay as they are. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { newFolder } from "../../harness/temporary.ts";
import { cli, projectWith, userEnvironment, type Run } from "./fixture.ts";

const CONFIG = '{\n  // mine\n  "gateway": { "mode": "local" }\n}\n';
/** Bricks 2026.9.6 unpatched: the provider refuses a history that begins with a result. */
const BROKEN = "a-first-message-is-a-result";
const INTEGRITY = join(".openclaw", "integrity");

let next: string;
let folder: string;
let home: string;
let state: string;
beforeAll(async () => {
  next = (await ensureRelease("2026.9.6")).stock;
  ({ folder } = await projectWith("2026.2.3"));
  home = newFolder();
  state = join(home, ".openclaw");
  const sessions = join(state, "agents", "main", "sessions");
  mkdirSync(sessions, { recursive: true });
  writeFileSync(join(state, "openclaw.json"), CONFIG);
  const ids = { broken: "11111111-1111-4111-8111-111111111111", sound: "22222222-2222-4222-8222-222222222222" };
  writeFileSync(join(sessions, `${ids.broken}.jsonl`), readFileSync(transcriptPath(BROKEN)));
  writeFileSync(join(sessions, `${ids.sound}.jsonl`), soundTranscript(ids.sound));
  // A model that is not there would fail every turn: of the operator's own entry nothing may be copied.
  const entry = { updatedAt: 1_772_359_200_000, modelOverride: "gpt-5", providerOverride: "openai" };
  const index = Object.entries(ids).map(([name, sessionId]) => [`agent:main:${name}`, { ...entry, sessionId }]);
  writeFileSync(join(sessions, "sessions.json"), JSON.stringify(Object.fromEntries(index)));
});

function soundTranscript(id: string): string {
  const base = { type: "message", timestamp: "2026-03-01T10:00:00.000Z" };
  const model = { provider: "anthropic", model: "claude-opus-4-5", api: "anthropic-messages", stopReason: "stop" };
  return [
    { type: "session", version: 3, id, timestamp: base.timestamp, cwd: "/workspace" },
    { ...base, id: "u0", parentId: null, message: { role: "user", content: [{ type: "text", text: "Where is it?" }] } },
    {
      ...base,
      id: "a0",
      parentId: "u0",
      message: { role: "assistant", content: [{ type: "text", text: "It stands in the shed." }], ...model },
    },
  ]
    .map((row) => `${JSON.stringify(row)}\n`)
    .join("");
}

const env = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({ ...userEnvironment(home), ...more });
const run = (...args: string[]): Run => cli(["setup", ...args], folder, env());

/** Bytes and times of the installation, of OpenClaw's state and of the home. */
function picture(): readonly unknown[] {
  return [folder, home].flatMap((root) =>
    ["", ...readdirSync(root, { recursive: true, encoding: "utf8" })]
      // npm's cache is npm's.
      .filter((name) => !name.startsWith(".npm"))
      .toSorted()
      .map((name) => {
        const { mtimeMs, mode, size } = lstatSync(join(root, name));
        // The rehearsal's own folder was made in them, and npm's cache in the home.
        if (root === home && ["", ".openclaw", INTEGRITY].includes(name)) return [name, mode];
        return [
          name,
          mtimeMs,
          mode,
          size,
          lstatSync(join(root, name)).isFile() && readFileSync(join(root, name), "hex"),
        ];
      }),
  );
}

it("says what the next release would brick without the patch, and changes nothing of the live one", () => {
  const before = picture();
  const { status, data } = run("--rehearse", next, "--sessions", "2", "--json");
  expect(data).toMatchObject({
    ok: true,
    action: "rehearsed",
    release: "2026.2.3",
    next: "2026.9.6",
    verdict: "fine",
    store: expect.stringContaining("its store is newer: sessions move from files into a database."),
    sessions: [
      {
        key: "agent:main:broken",
        unpatched: { passed: false, outcome: expect.stringContaining("the provider said") },
        patched: { passed: true, outcome: "answered" },
      },
      { key: "agent:main:sound", unpatched: { passed: true }, patched: { passed: true } },
    ],
    proof: { verdict: "proven" },
  });
  expect(status).toBe(0);
  expect(picture()).toEqual(before);
}, 1_800_000);

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
  const failed = cli(["setup", "--rehearse", "2026.9.6"], folder, env(unreachable));
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
