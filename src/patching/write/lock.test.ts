import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { withLock } from "./lock.ts";

let root = "";
beforeEach(() => {
  root = newFolder();
});

test("one at a time, and nothing is left behind", async () => {
  const path = join(root, "lock");
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setTimeout(resolve, 20));
    inside -= 1;
  };
  await Promise.all([withLock(path, work), withLock(path, work), withLock(path, work)]);
  expect(most).toBe(1);
  expect(existsSync(path)).toBe(false);
});

test("the lock of a dead process is taken over", async () => {
  const path = join(root, "lock");
  mkdirSync(path);
  // The largest pid Linux can give out is 2^22.
  writeFileSync(join(path, "pid"), String(2 ** 22 + 1));
  expect(await withLock(path, () => "done")).toBe("done");
});

test("so is one whose owner died before it wrote its name", async () => {
  const path = join(root, "lock");
  mkdirSync(path);
  const old = new Date(Date.now() - 60_000);
  utimesSync(path, old, old);
  expect(await withLock(path, () => "done")).toBe("done");
});

test("a failure inside frees it", async () => {
  const path = join(root, "lock");
  await expect(withLock(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(existsSync(path)).toBe(false);
});
