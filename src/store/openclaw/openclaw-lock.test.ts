import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { freeLock } from "./openclaw-lock.ts";

function emptyLock(seconds: number): string {
  const file = join(newFolder(), "sessions.json");
  writeFileSync(`${file}.lock`, "");
  const written = new Date(Date.now() - seconds * 1000);
  utimesSync(`${file}.lock`, written, written);
  return file;
}

it("an empty lock is not taken from a living OpenClaw, which could not write into it and works for longer", () => {
  const file = emptyLock(20);
  expect(() => freeLock(file)).toThrow(/nobody at work/);
  expect(existsSync(`${file}.lock`)).toBe(true);
});

it("an empty lock that OpenClaw itself no longer respects is removed", () => {
  const file = emptyLock(40);
  freeLock(file);
  expect(existsSync(`${file}.lock`)).toBe(false);
});
