import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { PatchError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { inventories } from "./inventory.ts";

let root = "";
beforeEach(() => {
  root = newFolder();
  mkdirSync(join(root, "dist"));
});

const NAMES = "dist/postinstall-inventory.json";
const CONTENTS = "dist/postinstall-content-inventory.json";
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const entry = (path: string, text: string) => ({
  path,
  sha256: sha256(text),
  mode: 420,
  size: Buffer.byteLength(text),
});
const LISTED = [
  { file: "dist/a.js", original: "old", patched: "new ü" },
  { file: "dist/guard.mjs", original: undefined, patched: "guard" },
];

test("a patched chunk gets its new digest and the guard is listed, or OpenClaw deletes it or takes the patch for the user's own", () => {
  const names = json(["dist/b.js", "dist/a.js"]);
  const contents = json([entry("dist/b.js", "b"), entry("dist/a.js", "old")]);
  writeFileSync(join(root, NAMES), names);
  writeFileSync(join(root, CONTENTS), contents);
  expect(inventories(root, LISTED)).toEqual([
    {
      file: NAMES,
      text: names,
      original: names,
      withAdded: json(["dist/b.js", "dist/a.js", "dist/guard.mjs"]),
      patched: json(["dist/b.js", "dist/a.js", "dist/guard.mjs"]),
    },
    {
      file: CONTENTS,
      text: contents,
      original: contents,
      withAdded: json([entry("dist/b.js", "b"), entry("dist/a.js", "old"), entry("dist/guard.mjs", "guard")]),
      patched: json([entry("dist/b.js", "b"), entry("dist/a.js", "new ü"), entry("dist/guard.mjs", "guard")]),
    },
  ]);
});

test("a patched list leads back to the published one, whatever guard it names", () => {
  const contents = [entry("dist/b.js", "b"), entry("dist/a.js", "old")];
  writeFileSync(join(root, NAMES), json(["dist/a.js", "dist/guard.mjs"]));
  writeFileSync(
    join(root, CONTENTS),
    json([entry("dist/b.js", "b"), entry("dist/a.js", "new ü"), entry("dist/guard.mjs", "another guard")]),
  );
  expect(inventories(root, LISTED).map(({ original }) => original)).toEqual([json(["dist/a.js"]), json(contents)]);
});

test("a release without such lists gets none", () => {
  expect(inventories(root, LISTED)).toEqual([]);
});

test("a list that could not be given back byte for byte is refused", () => {
  writeFileSync(join(root, NAMES), '[ "dist/a.js" ]');
  expect(() => inventories(root, LISTED)).toThrow(PatchError);
});
