import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyFolder, holdSame, unfitForLink } from "./folder.ts";

// Not in the folder for temporary files, which is itself no place to link to.
const CACHE = fileURLToPath(new URL("../../../.cache", import.meta.url));
let work = "";
let plugin = "";
beforeEach(() => {
  mkdirSync(CACHE, { recursive: true });
  work = mkdtempSync(join(CACHE, "plugin-folder-"));
  plugin = join(work, "plugin");
  mkdirSync(plugin, { mode: 0o755 });
  writeFileSync(join(plugin, "index.mjs"), "", { mode: 0o644 });
});
afterEach(() => rmSync(work, { recursive: true }));

test("a folder that stays and that OpenClaw loads from is linked to", () => {
  expect(unfitForLink(plugin)).toBeUndefined();
});

test("a link into npx's cache or the temporary folder would soon lead nowhere", () => {
  expect(
    unfitForLink(join(homedir(), ".npm", "_npx", "1f", "node_modules", "openclaw-integrity", "dist", "plugin")),
  ).toMatch(/npx/);
  expect(unfitForLink(join(tmpdir(), "openclaw-integrity", "dist", "plugin"))).toMatch(/temporary/);
});

test("OpenClaw loads no hard links, as pnpm makes them, and nothing that everybody may write to", () => {
  linkSync(join(plugin, "index.mjs"), join(work, "store"));
  expect(unfitForLink(plugin)).toMatch(/hard links/);
  rmSync(join(work, "store"));
  chmodSync(plugin, 0o777);
  expect(unfitForLink(plugin)).toMatch(/everybody may write/);
});

test("a copy takes the place of the older one whole, can be loaded whatever the umask, and leaves nothing beside it", () => {
  const copy = join(work, "state", "integrity", "clawos-l0");
  const umask = process.umask(0);
  try {
    copyFolder(plugin, copy);
    writeFileSync(join(plugin, "index.mjs"), "newer");
    rmSync(join(copy, "index.mjs"));
    writeFileSync(join(copy, "left-over.mjs"), "");
    copyFolder(plugin, copy);
  } finally {
    process.umask(umask);
  }
  expect(holdSame(plugin, copy)).toBe(true);
  expect(readdirSync(join(work, "state", "integrity"))).toEqual(["clawos-l0"]);
  expect([copy, join(copy, "index.mjs")].map((path) => statSync(path).mode & 0o022)).toEqual([0, 0]);
});

test("a copy that cannot be made leaves the older one", () => {
  const copy = join(work, "copy");
  copyFolder(plugin, copy);
  symlinkSync(join(work, "nowhere"), join(plugin, "broken"));
  expect(() => copyFolder(plugin, copy)).toThrow(expect.objectContaining({ code: "not-writable" }));
  expect(readdirSync(copy)).toEqual(["index.mjs"]);
});
