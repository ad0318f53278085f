/** Which modules belong to an OpenClaw: too few and it runs unpatched, too many and others are slowed down. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { Places } from "../../src/register/hook/place.ts";
import { newFolder } from "../../harness/temporary.ts";

function made(folder: string, name: string, files: readonly string[] = []): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name }));
  for (const file of files) writeFileSync(join(folder, file), "");
  return folder;
}

const findRoot = (folder: string, file: string): string | undefined =>
  new Places().findRoot(pathToFileURL(join(folder, file)).href);

test.each([
  "node_modules/openclaw",
  "node_modules/.pnpm/openclaw@2026.9.6/node_modules/openclaw",
  "nix/store/abc-openclaw/lib/openclaw",
  "dist/my checkout %41",
])("an OpenClaw in %s", (place) => {
  const root = made(join(newFolder(), place), "openclaw");
  expect(findRoot(root, "dist/entry.js")).toBe(root);
  expect(findRoot(root, "dist/extensions/x/dist/index.js?t=1")).toBe(root);
  expect(findRoot(root, "openclaw.mjs")).toBeUndefined();
  expect(findRoot(root, "node_modules/other/dist/index.js")).toBeUndefined();
});

test("an OpenClaw that is installed under another name", () => {
  const root = made(join(newFolder(), "node_modules", "claw"), "openclaw", ["openclaw.mjs"]);
  expect(findRoot(root, "dist/entry.js")).toBe(root);
});

test("other packages, and modules that are no files", () => {
  const folder = newFolder();
  const other = made(join(folder, "node_modules", "other"), "other", ["openclaw.mjs"]);
  expect(findRoot(other, "dist/index.js")).toBeUndefined();
  expect(findRoot(join(folder, "nowhere"), "dist/index.js")).toBeUndefined();
  writeFileSync(join(made(join(folder, "broken"), "openclaw"), "package.json"), "{");
  expect(findRoot(join(folder, "broken"), "dist/index.js")).toBeUndefined();
  for (const url of ["node:fs", "data:text/javascript,/dist/", "https://x/node_modules/openclaw/dist/entry.js"])
    expect(new Places().findRoot(url)).toBeUndefined();
});
