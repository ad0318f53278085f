/** What the doctor says of recorded work. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { newFolder } from "../../harness/temporary.ts";
import { authorBy, Continuity, isGone, openPostgresStore, openSqliteStore } from "../../src/continuity/index.ts";
import { continuityFile } from "../../src/continuity-tools/index.ts";
import type { Run } from "./fixture.ts";
import { runHere } from "./in-process.ts";

const PAY = { step_id: "pay 17", step_type: "non_idempotent", idempotency_key: "invoice-17" } as const;
/** What a terminal would obey, as an agent could name a project. */
const HOSTILE = "other \u202e\u009b2Jshop";

let state: string;
let owner: ChildProcess | undefined;
let server: PrivatePostgres | undefined;
beforeEach(() => {
  state = newFolder();
  mkdirSync(join(state, "agents", "main", "sessions"), { recursive: true });
});
afterEach(async () => {
  owner?.kill("SIGKILL");
  await server?.stop();
  server = undefined;
});

const doctor = (...args: string[]): Promise<Run> => runHere(state, ["sessions", "doctor", ...args]);

/** All files of recorded work with the hash of their content, but for the index of a WAL, which readers lock. */
function bytes(): Record<string, string> {
  const names = readdirSync(state).filter((name) => name.startsWith("openclaw-continuity"));
  const hashFile = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(state, name)))
      .digest("hex");
  return Object.fromEntries(names.map((name) => [name, name.endsWith("-shm") ? "" : hashFile(name)]));
}

async function beginPayment(continuity: Continuity, project_id = "shop"): Promise<void> {
  const lease = await (await continuity.project(project_id)).acquireLease({ owner_id: "till" });
  await (await continuity.project(project_id)).steps.begin(lease, PAY);
  await lease.release();
}

async function inStore(file: string, work: (continuity: Continuity) => Promise<void>): Promise<void> {
  const continuity = new Continuity({ store: openSqliteStore({ file }) });
  await work(continuity);
  await continuity.close();
}

const joinWords = ({ stdout }: Run): string => stdout.replaceAll(/\s+/g, " ");

/** Runs the command that a line of the report is. */
async function obey({ stdout }: Run, beginning: string): Promise<Run> {
  const line = stdout.split("\n").find((one) => one.trim().startsWith(`npx openclaw-integrity ${beginning}`));
  const words = [...line!.trim().matchAll(/'(?<quoted>[^']*)'|(?<plain>\S+)/g)];
  return runHere(
    state,
    words.slice(2).map(({ groups }) => groups!["quoted"] ?? groups!["plain"]!),
  );
}

test("without a store, and with one of which nothing needs a person, the doctor has no word and leaves no file", async () => {
  const before = bytes();
  expect((await doctor()).stdout).not.toContain("ecorded work");
  expect(bytes()).toEqual(before);
  await inStore(continuityFile(state), async (continuity) => {
    await (await continuity.project("shop")).createGoal({ text: "Pay", priority: 1 });
  });
  const recorded = bytes();
  const { status, stdout } = await doctor();
  expect({ status, ends: stdout.includes("nothing to do") }).toEqual({ status: 0, ends: true });
  expect(stdout).not.toContain("ecorded work");
  expect(bytes()).toEqual(recorded);
});

test("an older copy comes first, then a step that may have run; the commands that are named settle both", async () => {
  const elsewhere = join(newFolder(), "work.sqlite");
  const backup = join(newFolder(), "backup.jsonl");
  await inStore(elsewhere, async (continuity) => {
    await beginPayment(continuity);
    await continuity.backup({ file: backup });
  });
  await runHere(state, ["continuity", "restore", backup]);
  const before = bytes();
  const page = join(newFolder(), "page.html");
  const first = await doctor("--html", page);
  expect(first.status).toBe(0);
  expect(joinWords(first)).toMatch(
    /^Sessions in .* Recorded work that needs you Project shop: .*what was done since then is not known.*openclaw-integrity continuity confirm --project shop.*step "pay 17" \(attempt 1, key invoice-17.*may have run, and nobody executes it.*openclaw-integrity continuity resolve --project shop.* There are no sessions yet\./,
  );
  expect(first.stdout).not.toContain("nothing to do");
  expect(readFileSync(page, "utf8")).toMatch(
    /needs you.*continuity confirm.*continuity resolve.*There are no sessions/s,
  );
  expect((await doctor("--json")).data).toMatchObject({
    work: [
      { needs: "older_copy", project_id: "shop", place: continuityFile(state) },
      { needs: "unknown_step", project_id: "shop", command: expect.stringContaining("'pay 17'") },
    ],
  });
  expect(bytes()).toEqual(before);

  expect((await obey(first, "continuity confirm")).status).toBe(0);
  expect(joinWords(await doctor())).toMatch(/needs you Project shop: step "pay 17"/);
  const { status, stdout } = await obey(first, "continuity resolve");
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("not executed again") });
  expect((await doctor()).stdout).not.toContain("ecorded work");
});

test("after a kill -9 its step, its task and its lease are told as those of a process that has ended, and the log of the killed one is left as it is", async () => {
  const file = continuityFile(state);
  owner = spawn(process.execPath, [fileURLToPath(new URL("lease-owner.ts", import.meta.url)), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(owner.stdout!, "data");
  expect((await doctor()).stdout).not.toContain("ecorded work");
  const session = new DatabaseSync(file, { readOnly: true }).prepare("SELECT owner_id FROM workflow_leases").get()!;
  const continuity = new Continuity({
    store: openSqliteStore({ file }),
    author: authorBy("mcp", "clerk"),
    claims: { session: String(session["owner_id"]), isGone },
  });
  const project = await continuity.project("p");
  const { goal_id } = await project.createGoal({ text: "Pay" });
  const { task_id } = await project.addTask({ goal_id, title: "A secret title" });
  await project.startTask({ task_id });
  owner.kill("SIGKILL");
  await once(owner, "close");
  // As a killed process leaves them: whoever closes the last connection ends the log.
  const left = newFolder();
  mkdirSync(join(left, "agents", "main", "sessions"), { recursive: true });
  for (const name of Object.keys(bytes())) copyFileSync(join(state, name), join(left, name));
  await continuity.close();
  state = left;
  const before = bytes();
  expect(Object.keys(before)).toContain("openclaw-continuity.sqlite-wal");
  const said = await doctor();
  expect(bytes()).toEqual(before);
  expect(joinWords(said)).toMatch(
    /step send-1.*continuity resolve.*task [0-9a-f-]{36} is held by .*clerk.*, whose process has ended, until.*its steps are held by ".*", whose process has ended, until/,
  );
  expect(said.stdout).not.toContain("secret");
  expect((await obey(said, "continuity task release")).status).toBe(0);
  expect(joinWords(await doctor())).not.toContain("clerk");
});

test("a store that cannot be read is told, hides no other one, is not changed, and is no success", async () => {
  await inStore(continuityFile(state), beginPayment);
  const other = new DatabaseSync(continuityFile(state, "mcp"));
  other.exec("CREATE TABLE mine (x)");
  other.close();
  const before = bytes();
  const said = await doctor();
  expect(said.status).toBe(3);
  expect(joinWords(said)).toMatch(
    /needs you Recorded work cannot be read: .*another program's database.*step "pay 17"/,
  );
  expect(bytes()).toEqual(before);
});

test("an older copy of the file that was put back hides no other project, and names what goes on with it", async () => {
  const file = continuityFile(state);
  await inStore(file, beginPayment);
  const copy = join(newFolder(), "copy.sqlite");
  copyFileSync(file, copy);
  await inStore(file, async (continuity) => {
    await (await continuity.project("shop")).createGoal({ text: "Pay more" });
  });
  copyFileSync(copy, file);
  await inStore(file, (continuity) => beginPayment(continuity, HOSTILE));
  const before = bytes();
  const said = await doctor();
  expect(said.status).toBe(3);
  expect(joinWords(said)).toMatch(
    /Project shop cannot be read: .*older copy.*continuity backup --accept-loss --out copy.jsonl.*Project "other \\u202e\\u009b2Jshop": step "pay 17"/,
  );
  expect(said.stdout).not.toMatch(/[\u202e\u009b]/);
  expect(bytes()).toEqual(before);
});

test.skipIf(whyNoPostgres() !== undefined)(
  `the store that the plugin's configuration names is read, a schema that is not there is not created${whyNoPostgres() ?? ""}`,
  async () => {
    server = await startPostgres();
    const configure = (enabled: boolean): void =>
      writeFileSync(
        join(state, "openclaw.json"),
        JSON.stringify({
          plugins: { entries: { "clawos-l0": { config: { continuity: { enabled, postgres: server!.url } } } } },
        }),
      );
    configure(true);
    expect(joinWords(await doctor())).not.toContain("ecorded work");
    await expect(openPostgresStore({ connectionString: server.url, readOnly: true })).rejects.toMatchObject({
      code: "not-found",
    });
    const continuity = new Continuity({ store: await openPostgresStore({ connectionString: server.url }) });
    await beginPayment(continuity);
    await continuity.close();
    expect(joinWords(await doctor())).toMatch(
      /step "pay 17" .*continuity resolve --postgres postgres:.* --project shop/,
    );
    configure(false);
    expect(joinWords(await doctor())).not.toContain("ecorded work");
  },
);
