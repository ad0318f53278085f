/** Backup and restoration at the command line, and the position that verify expects. */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { continuityFile } from "../../src/continuity-tools/index.ts";
import { runHere } from "./in-process.ts";

async function work(file: string, step_id: string): Promise<void> {
  const continuity = new Continuity({ store: openSqliteStore({ file }) });
  const project = await continuity.project("shop");
  const lease = await project.acquireLease({ owner_id: "till" });
  await project.runStep(lease, { step_id, step_type: "pure" }, async () => "paid");
  await project.steps.begin(lease, {
    step_id: `${step_id}\u001b[2J`,
    step_type: "non_idempotent",
    idempotency_key: `key of ${step_id}`,
  });
  await lease.release();
  await continuity.close();
}

test("a backup is written, restored and verified, says what may have been done since, and overwrites nothing", async () => {
  const [state, other] = [newFolder(), newFolder()];
  await work(continuityFile(state), "pay");
  const out = join(newFolder(), "backup.jsonl");
  const backup = await runHere(state, ["continuity", "backup", "--out", out]);
  expect(backup).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/1 project and 5 events .*shop: 5:[0-9a-f]{64}/s),
  });
  const before = readFileSync(out, "utf8");
  expect(await runHere(state, ["continuity", "backup", "--out", out, "--json"])).toMatchObject({
    status: 1,
    data: { code: "not-writable" },
  });
  expect(readFileSync(out, "utf8")).toBe(before);
  expect(await runHere(state, ["continuity", "backup", "--out", out, "--replace"])).toMatchObject({ status: 0 });

  const restored = await runHere(other, ["continuity", "restore", out]);
  expect(restored).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /1 project restored into .*shop: restored, up to event 6, verified, intact\n {2}may have been done since: pay\\u001b\[2J/s,
    ),
  });
  expect((await runHere(other, ["continuity", "restore", out])).stdout).toContain(
    "shop: was there, up to event 6, verified, intact",
  );
  const file = join(newFolder(), "elsewhere.sqlite");
  expect((await runHere(other, ["continuity", "restore", out, "--file", file])).stdout).toContain(
    `continuity confirm --file ${file} --project shop --reason 'how that is known'\n`,
  );
  const history = await runHere(other, ["continuity", "history"]);
  expect(history.stdout).toContain("restored from a backup, at event 5");

  writeFileSync(out, readFileSync(out, "utf8").slice(0, -100));
  expect(await runHere(newFolder(), ["continuity", "restore", out, "--json"])).toMatchObject({
    status: 1,
    data: { code: "damaged", message: expect.stringContaining("the file was cut") },
  });
});

test("a backup to standard output is that and nothing else, and a refusal before it is as of any command", async () => {
  const state = newFolder();
  await work(continuityFile(state), "pay");
  const { stdout, status } = await runHere(state, ["continuity", "backup", "--project", "shop"]);
  expect(status).toBe(0);
  const file = join(newFolder(), "piped.jsonl");
  writeFileSync(file, stdout);
  expect(await runHere(newFolder(), ["continuity", "restore", file, "--exact", "--json"])).toMatchObject({
    status: 0,
    data: { ok: true, damages: 0, projects: [{ project_id: "shop", outcome: "restored", event_seq: 5 }] },
  });
  expect(await runHere(newFolder(), ["continuity", "backup", "--json"])).toMatchObject({
    status: 1,
    data: { ok: false, code: "not-found" },
  });
});

test("an older copy is named by verify, also by a position that was noted, and goes on when a person restores a backup of it", async () => {
  const state = newFolder();
  const file = continuityFile(state);
  await work(file, "pay");
  copyFileSync(file, `${file}.copy`);
  await work(file, "pay again");
  const noted = /ends with (\d+:[0-9a-f]{64})/.exec((await runHere(state, ["continuity", "verify"])).stdout)![1]!;
  copyFileSync(`${file}.copy`, file);

  expect(await runHere(state, ["continuity", "next", "--json"])).toMatchObject({
    status: 1,
    data: { code: "older-copy" },
  });
  expect(await runHere(state, ["continuity", "verify"])).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/DAMAGED in 1 place.*copy: .*older\s+copy/s),
  });
  const out = join(newFolder(), "copy.jsonl");
  expect(await runHere(state, ["continuity", "backup", "--out", out])).toMatchObject({ status: 1 });
  expect(await runHere(state, ["continuity", "backup", "--out", out, "--accept-loss"])).toMatchObject({ status: 0 });
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  expect(await runHere(state, ["continuity", "restore", out])).toMatchObject({ status: 1 });
  expect(await runHere(state, ["continuity", "restore", out, "--accept-loss"])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/events up to 10 are lost: any step may have been done since/),
  });
  expect((await runHere(state, ["continuity", "history"])).stdout).toContain("restored from a backup, at event 5");
  expect((await runHere(state, ["continuity", "verify"])).status).toBe(0);
  // First of all: what was done since is not known, until a person says so.
  const told = /^Project shop\n {2}older copy\s+This project was restored from a backup \(event 6 /;
  expect((await runHere(state, ["continuity", "status"])).stdout).toMatch(told);
  expect((await runHere(state, ["continuity", "next"])).stdout).toMatch(/^\s+older copy /);
  expect((await runHere(state, ["continuity", "status", "--json"])).data).toMatchObject({ needs: "older_copy" });
  const confirm = ["continuity", "confirm", "--reason", "the bank shows it"];
  expect(await runHere(state, confirm)).toMatchObject({ status: 0, stdout: expect.stringContaining("confirmed") });
  expect((await runHere(state, ["continuity", "status"])).stdout).not.toContain("older copy");
  expect((await runHere(state, ["continuity", "history"])).stdout).toContain("copy of event 6 confirmed: the bank");
  expect((await runHere(state, [...confirm, "--json"])).data).toMatchObject({ code: "invalid-transition" });
  expect(await runHere(state, ["continuity", "verify", "--expect", noted, "--json"])).toMatchObject({
    status: 1,
    data: { damages: 1 },
  });
});

test("a project whose rows are gone is missed by verify, and restored with its loss", async () => {
  const state = newFolder();
  const file = continuityFile(state);
  await work(file, "pay");
  const out = join(newFolder(), "backup.jsonl");
  await runHere(state, ["continuity", "backup", "--out", out]);
  await work(file, "pay again");
  rmSync(file);
  expect(await runHere(state, ["continuity", "restore", out, "--json"])).toMatchObject({
    status: 1,
    data: { code: "older-copy", message: expect.stringMatching(/events 6 to 10 are lost/) },
  });
  const restored = await runHere(state, ["continuity", "restore", out, "--accept-loss"]);
  expect(restored).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/events up to 10 are lost: any step may/),
  });
  rmSync(file);
  expect(existsSync(`${file}.anchor`)).toBe(true);
  openSqliteStore({ file }).close();
  expect(await runHere(state, ["continuity", "verify"])).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(
      /no project in .*\nMISSING: a project with workflow id [0-9a-f-]{36}, of which the anchor knows 6 events/,
    ),
  });
});
