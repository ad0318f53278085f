import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { snapshotsSize, tidyToSize } from "../../src/workspace/index.ts";
import { tidy } from "../../src/workspace/snapshots/tidy.ts";
import { Scene } from "./workspace.ts";

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene.close());
const write = (path: string, content: string | Uint8Array): void => writeFileSync(scene.at(path), content);
const stored = (): string =>
  execFileSync(
    "git",
    ["--git-dir", join(scene.store.folder, "store.git"), "cat-file", "--batch-all-objects", "--batch"],
    {
      encoding: "latin1",
    },
  );

it("packed and pruned, a store still brings every kept place back, and what was forgotten is gone from the disk", async () => {
  const marks = [scene.say()];
  for (let at = 0; at < 6; at++) marks.push(await scene.batch(() => write("file", `version-${at}`)));
  await scene.store.use((open) => tidy(open, { most: 3, force: true }));
  expect(
    readdirSync(join(scene.store.folder, "store.git", "objects", "pack")).filter((name) => name.endsWith(".pack"))
      .length,
  ).toBe(1);
  expect(["version-1", "version-2", "version-5"].map((word) => stored().includes(word))).toEqual([false, true, true]);
  await scene.move(marks[3]);
  expect(scene.files()).toEqual({ file: "version-2" });
  // What came before is forgotten: the oldest change that is known is taken back, and no older one.
  await scene.move(marks[0]);
  expect(scene.files()).toEqual({ file: "version-2" });
});

it("an old step goes by its age, a dead process's open step after a day, and a young one stays", async () => {
  await scene.batch(() => write("file", "old"));
  await scene.store.use(async ({ records, capture }) => records.begin(scene.owner(), (await capture()).tree));
  const inDays = (days: number): Promise<unknown> =>
    scene.store.use((open) => tidy(open, { now: Date.now() + days * 24 * 3_600_000 }));
  const steps = (): number => scene.store.read((records) => records.steps().length);
  await inDays(29);
  expect(steps()).toBe(2);
  await inDays(31);
  // The open one is this process's, which is alive.
  expect(steps()).toBe(1);
});

it("a store that is too large forgets its older steps until it is not", async () => {
  const noise = (): Uint8Array => randomBytes(250_000);
  for (let at = 0; at < 8; at++) await scene.batch(() => write("file", noise()));
  expect(snapshotsSize(scene.store)).toBeGreaterThan(8 * 250_000);
  await tidyToSize(scene.store, { maxBytes: 1_300_000 });
  expect(snapshotsSize(scene.store)).toBeLessThan(1_300_000);
  expect(scene.store.read((records) => records.steps().length)).toBeGreaterThan(0);
});

it("versions of a file that is written again and again do not make a small workspace too large", async () => {
  const bytes = (): Promise<number> => scene.store.use(async ({ records }) => records.captured.known().bytes);
  const start = scene.say();
  for (const content of ["one", "and two", "", "four"]) {
    await scene.batch(() => write("log", content));
    expect(await bytes()).toBe(content.length);
  }
  await scene.batch(() => rmSync(scene.at("log")));
  expect(await bytes()).toBe(0);
  await scene.move(start);
  expect(scene.files()).toEqual({});
});

it("a removed store is made anew by the next capture, also where this process had its records open", async () => {
  await scene.batch(() => write("file", "one"));
  rmSync(scene.store.folder, { recursive: true });
  await scene.batch(() => write("file", "two"));
  expect(existsSync(scene.store.recordsFile)).toBe(true);
  expect(scene.store.read((records) => records.steps().length)).toBe(1);
});
