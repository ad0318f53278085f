import { mkdirSync, readFileSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { shareTree } from "./copy-tree.ts";

let root = "";
beforeEach(() => {
  root = newFolder();
  mkdirSync(join(root, "stock/node_modules/.bin"), { recursive: true });
  writeFileSync(join(root, "stock/node_modules/a.js"), "a");
  symlinkSync("../a.js", join(root, "stock/node_modules/.bin/a"));
});

test("the copy has the files, and its links stay inside it", () => {
  shareTree(join(root, "stock"), join(root, "patched"));
  expect(readFileSync(join(root, "patched/node_modules/a.js"), "utf8")).toBe("a");
  expect(readlinkSync(join(root, "patched/node_modules/.bin/a"))).toBe("../a.js");
});

test("replacing a file of the copy leaves the original alone", () => {
  shareTree(join(root, "stock"), join(root, "patched"));
  writeFileSync(join(root, "next"), "A");
  renameSync(join(root, "next"), join(root, "patched/node_modules/a.js"));
  expect(readFileSync(join(root, "stock/node_modules/a.js"), "utf8")).toBe("a");
});

test("an absolute link is refused: it would lead back to the original", () => {
  symlinkSync(join(root, "stock/node_modules/a.js"), join(root, "stock/absolute"));
  expect(() => shareTree(join(root, "stock"), join(root, "patched"))).toThrow(/absolute link/);
});
