import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { isUpdateRunning } from "./running-update.ts";

const NOW = Date.parse("2026-11-24T12:00:00Z");

function stateWith(status: string, updatedAt: number): string {
  const state = newFolder();
  mkdirSync(join(state, "state"));
  const database = new DatabaseSync(join(state, "state", "openclaw.sqlite"));
  database.exec(
    "CREATE TABLE update_runs (run_id TEXT PRIMARY KEY, updated_at_ms INTEGER NOT NULL, status TEXT NOT NULL)",
  );
  database.prepare("INSERT INTO update_runs VALUES ('run', ?, ?)").run(updatedAt, status);
  database.close();
  return state;
}

test("an update that verifies the gateway is running; one that has ended or was abandoned is not", () => {
  expect(isUpdateRunning(stateWith("running", NOW - 60_000), NOW)).toBe(true);
  expect(isUpdateRunning(stateWith("succeeded", NOW - 1000), NOW)).toBe(false);
  expect(isUpdateRunning(stateWith("running", NOW - 2_000_000), NOW)).toBe(false);
});

test("a state without a record, without a database or with a broken one has no running update", () => {
  const state = newFolder();
  expect(isUpdateRunning(state, NOW)).toBe(false);
  mkdirSync(join(state, "state"));
  new DatabaseSync(join(state, "state", "openclaw.sqlite")).close();
  expect(isUpdateRunning(state, NOW)).toBe(false);
  writeFileSync(join(state, "state", "openclaw.sqlite"), "no database".repeat(1000));
  expect(isUpdateRunning(state, NOW)).toBe(false);
});
