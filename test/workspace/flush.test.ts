/** What a move overwrites is on the disk first; otherwise a power cut takes both copies of a person's file. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listTreeFiles } from "../../src/workspace/git/trees.ts";
import { flushObjects } from "../../src/workspace/snapshots/flush.ts";
import { Scene } from "./workspace.ts";

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene.close());
const write = (path: string, content: string): void => writeFileSync(scene.at(path), content);
const flushed = (): Promise<string[]> => scene.store.use(({ place, records }) => flushObjects(place, records));

it("everything that was captured is flushed: single objects, and the pack of many", async () => {
  for (let at = 0; at < 250; at++) write(`file-${at}`, `content ${at}`);
  await scene.store.use(({ capture }) => capture());
  write("late", "late");
  const { tree } = await scene.store.use(({ capture }) => capture());
  const files = new Set(await flushed());
  const objects = join(scene.store.folder, "store.git", "objects");
  const stored = readdirSync(objects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(stored.filter((file) => !files.has(file))).toEqual([]);
  expect(stored.some((file) => file.endsWith(".pack"))).toBe(true);
  const late = (await scene.store.use(({ place }) => listTreeFiles(place, tree))).get("late")!.oid;
  expect(files.has(join(objects, late.slice(0, 2), late.slice(2)))).toBe(true);
});

it("a second flush waits for nothing that is old, and a clock that was set back for all", async () => {
  write("file", "one");
  await scene.store.use(({ capture }) => capture());
  const first = await flushed();
  expect(first.length).toBeGreaterThan(0);
  const set = (at: number): Promise<void> =>
    scene.store.use(async ({ records }) => records.setFact("flushed-at", String(at)));
  await set(Date.now() + 500);
  expect(await flushed()).toEqual(first);
  await set(Date.now() - 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await set(Date.now() - 1);
  expect(await flushed()).toEqual([]);
});

it("a move flushes before the first file is moved", async () => {
  const start = scene.say();
  await scene.batch(() => write("file", "one"));
  await scene.move(start);
  expect(Number(await scene.store.use(async ({ records }) => records.fact("flushed-at")))).toBeGreaterThan(0);
});
