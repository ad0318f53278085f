import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NOBODY } from "../nobody.ts";
import { newFolder } from "../temporary.ts";
import { expectUntouched, recordTree } from "./untouched.ts";

const makeTree = (): string => {
  const root = newFolder();
  mkdirSync(join(root, "in", "permitted"), { recursive: true });
  writeFileSync(join(root, "in", "file"), "bytes", { mode: 0o600 });
  symlinkSync("/etc/passwd", join(root, "in", "link"));
  symlinkSync("..", join(root, "in", "circle"));
  return root;
};

test.each<readonly [what: string, change: (root: string) => void]>([
  ["another content of the same length", (root) => writeFileSync(join(root, "in", "file"), "BYTES")],
  ["another mode", (root) => chmodSync(join(root, "in", "file"), 0o644)],
  ["another mode of the root", (root) => chmodSync(root, 0o755)],
  ["a file that is gone", (root) => rmSync(join(root, "in", "file"))],
  ["a new folder", (root) => mkdirSync(join(root, "new"))],
  [
    "a link with another target",
    (root) => {
      rmSync(join(root, "in", "link"));
      symlinkSync("/etc/group", join(root, "in", "link"));
    },
  ],
])("%s is noticed, or a test would call a tree untouched that was not", (_, change) => {
  const root = makeTree();
  const before = recordTree(root);
  expectUntouched(root, before);
  change(root);
  expect(() => expectUntouched(root, before)).toThrow("expected");
});

test.runIf(process.getuid?.() === 0)("another owner is noticed", () => {
  const root = makeTree();
  const before = recordTree(root);
  chownSync(join(root, "in", "file"), NOBODY, NOBODY);
  expect(() => expectUntouched(root, before)).toThrow("expected");
});

test("what is permitted may change", () => {
  const root = makeTree();
  const except = [join(root, "in", "permitted")];
  const before = recordTree(root, except);
  writeFileSync(join(root, "in", "permitted", "file"), "");
  expectUntouched(root, before, except);
});
