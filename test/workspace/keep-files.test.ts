/** The gateway's background work on snapshots: what a kill had cut off is settled, what is old is forgotten. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { diffTrees } from "../../src/workspace/git/trees.ts";
import { KeepFiles } from "../../src/plugin/files/keep-files.ts";
import { Scene } from "./workspace.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let scene: Scene;
let said: string[];
let keeper: KeepFiles;
beforeEach(() => {
  scene = new Scene();
  said = [];
  const say = (line: string): void => void said.push(line);
  keeper = new KeepFiles(scene.state, { debug: say, info: say, warn: say, error: say });
});
afterEach(() => {
  keeper.stop();
  vi.useRealTimers();
  scene.close();
});
const write = (path: string, content: string): void => writeFileSync(scene.at(path), content);
const steps = (): number => scene.store.read((records) => records.steps().length);

/** What a process leaves that is killed in the middle of a move: the intent, and one of two files at its place. */
async function cutOff(): Promise<void> {
  write("one", "before");
  write("two", "before");
  const { tree: after } = await scene.store.use(({ capture }) => capture());
  await scene.batch(() => {
    write("one", "now");
    write("two", "now");
  });
  await scene.store.use(async ({ place, records, capture, markPending }) => {
    const { tree: before } = await capture();
    const [plan] = await diffTrees(place, [[before, after]]);
    markPending(true);
    records.intend({ intentId: "cut-off", owner: scene.owner(), before, after, plan: plan! });
  });
  write("one", "before");
}

it("a move that a kill had cut off is settled at the start, by what OpenClaw's store has", async () => {
  mkdirSync(join(scene.state, "agents", "main", "sessions"), { recursive: true });
  await cutOff();
  await keeper.start();
  expect(said).toEqual(["the files of a move that was cut off were brought back"]);
  expect(scene.files()).toEqual({ one: "now", two: "now" });
  expect(scene.store.mayHavePending).toBe(false);
  said.length = 0;
  await keeper.start();
  expect(said).toEqual([]);
});

it("a store that cannot be read is told of, and keeps no other waiting and nothing from starting", async () => {
  await cutOff();
  const other = new Scene();
  try {
    // The first in the folder's order, whatever its name is.
    const broken = join(scene.state, "openclaw-integrity-files", "0".repeat(32));
    mkdirSync(broken, { recursive: true });
    writeFileSync(join(broken, "workspace.json"), JSON.stringify({ workspace: other.workspace }));
    writeFileSync(join(broken, "records.sqlite"), "no database");
    writeFileSync(join(broken, "move-under-way"), "");
    await keeper.start();
    expect(said.join("\n")).toMatch(/wait|snapshots of files:/);
    expect(scene.files()).toEqual({ one: "now", two: "now" });
  } finally {
    other.close();
  }
});

it("old steps are forgotten some minutes after the start and daily, not while an agent works, and not after the end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  // git is real and takes its time.
  const until = async (isSo: () => boolean, ms: number): Promise<void> => {
    for (const end = performance.now() + ms; !isSo() && performance.now() < end;)
      await new Promise((resolve) => setImmediate(resolve));
  };
  const never = (): boolean => false;
  await scene.batch(() => write("file", "old"));
  await keeper.start();
  vi.setSystemTime(Date.now() + 31 * DAY_MS);
  await scene.batch(() => write("file", "young"));
  expect(steps()).toBe(2);
  await vi.advanceTimersByTimeAsync(6 * MINUTE_MS);
  await until(never, 300);
  expect(steps()).toBe(2); // an agent has just worked here
  await vi.advanceTimersByTimeAsync(DAY_MS);
  await until(() => steps() === 1, 20_000);
  expect(steps()).toBe(1);
  keeper.stop();
  vi.setSystemTime(Date.now() + 40 * DAY_MS);
  await vi.advanceTimersByTimeAsync(2 * DAY_MS);
  await until(never, 300);
  expect(steps()).toBe(1);
  expect(existsSync(scene.store.recordsFile)).toBe(true);
});
