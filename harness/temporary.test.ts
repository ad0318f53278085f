import assert from "node:assert/strict";
import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const made: string[] = [];
// Hooks that are registered first run last: behind the one of the module that is imported here.
afterAll(() =>
  assert.deepEqual(
    made.filter((folder) => existsSync(folder)),
    [],
  ),
);
const { newFolder } = await import("./temporary.ts");

it("folders are apart from each other, their owner's only, with no link in their path, and go when the tests are over", () => {
  made.push(newFolder(), newFolder());
  expect(new Set(made).size).toBe(2);
  for (const folder of made) {
    expect(realpathSync(folder)).toBe(folder);
    expect(statSync(folder).mode & 0o077).toBe(0);
    mkdirSync(join(folder, "in", "it"), { recursive: true });
    writeFileSync(join(folder, "in", "it", "file"), "");
  }
});
