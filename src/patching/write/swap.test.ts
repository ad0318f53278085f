import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { swapAll } from "./swap.ts";

let root = "";
beforeEach(() => {
  root = newFolder();
  mkdirSync(join(root, "dist"));
  writeFileSync(join(root, "dist/a.js"), "a", { mode: 0o755 });
  writeFileSync(join(root, "dist/b.js"), "b");
});

const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("writes, adds and removes, keeps the mode and leaves nothing behind", () => {
  swapAll(root, [
    { file: "new.mjs", text: "new" },
    { file: "dist/a.js", text: "A" },
    { file: "dist/b.js", text: undefined },
  ]);
  expect([read("new.mjs"), read("dist/a.js"), existsSync(join(root, "dist/b.js"))]).toEqual(["new", "A", false]);
  expect(statSync(join(root, "dist/a.js")).mode & 0o777).toBe(0o755);
  expect(readdirSync(root).toSorted()).toEqual(["dist", "new.mjs"]);
});

test("a hard link elsewhere keeps its bytes", () => {
  linkSync(join(root, "dist/a.js"), join(root, "shared.js"));
  swapAll(root, [{ file: "dist/a.js", text: "A" }]);
  expect([read("dist/a.js"), read("shared.js")]).toEqual(["A", "a"]);
});

test("when one file cannot be put in place, those before it are put back", () => {
  const changes = [
    { file: "new.mjs", text: "new" },
    { file: "dist/a.js", text: "A" },
    { file: "dist/b.js", text: undefined },
    { file: "missing/c.js", text: "c" },
  ];
  expect(() => swapAll(root, changes)).toThrow(expect.objectContaining({ code: "not-writable" }));
  expect([read("dist/a.js"), read("dist/b.js")]).toEqual(["a", "b"]);
  expect(readdirSync(root)).toEqual(["dist"]);
});
