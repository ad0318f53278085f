/**
 * What OpenClaw itself does to its package, or demands of it, when it is installed, updated and sent to a cloud node:
 * its own scripts and chunks of the latest release, run on a patched package.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { apply, revert, status, verify } from "../../src/patching/apply.ts";
import { GUARD_FILE } from "../../src/patching/base/guard-file.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { plan } from "../../src/patching/plan.ts";
import { hashTree } from "../patching/fixture.ts";
import {
  contentErrors,
  CONTENTS,
  importErrors,
  installedPackage,
  jsonFiles,
  NAMES,
  packedFiles,
  postinstall,
  type InstalledPackage,
} from "./installed-package.ts";

let openclaw: InstalledPackage;
beforeAll(async () => {
  openclaw = await installedPackage();
});
beforeEach(() => void apply(openclaw.root));
afterAll(() => openclaw.remove());

test("OpenClaw's postinstall, which deletes what its list does not name, leaves a patched dist as it is", () => {
  const dist = join(openclaw.root, "dist");
  const before = hashTree(dist);
  expect(postinstall(openclaw.root)).toBe("");
  expect(hashTree(dist)).toEqual(before);
  expect(verify(openclaw.root).state).toBe("patched");
});

test("with the published list it would delete the guard; status says so and apply brings it back", () => {
  openclaw.putBack(NAMES);
  expect(postinstall(openclaw.root)).toContain(GUARD_FILE);
  expect(existsSync(join(openclaw.root, GUARD_FILE))).toBe(false);
  expect(status(openclaw.root).state).toBe("half-patched");
  expect(apply(openclaw.root).action).toBe("completed");
  expect(verify(openclaw.root).state).toBe("patched");
});

test("OpenClaw's comparison of contents takes a patched package for a sound one, or an update would treat the patch as the user's own edits", async () => {
  expect(await contentErrors(openclaw.root)).toEqual([]);
  openclaw.putBack(CONTENTS);
  expect(await contentErrors(openclaw.root)).toEqual([expect.stringContaining(CONTENTS)]);
  revert(openclaw.root);
  expect(await contentErrors(openclaw.root)).toEqual([]);
});

test("what is packed for a cloud node has every file that the inserted lines import, or OpenClaw refuses to pack", async () => {
  const patched = plan(openclaw.root).files.map(({ file }) => file);
  const files = await packedFiles(openclaw.root);
  expect(await importErrors(openclaw.root, [...patched, GUARD_FILE], files)).toEqual([]);
  const without = await importErrors(
    openclaw.root,
    patched,
    files.filter((file) => file !== GUARD_FILE),
  );
  expect(new Set(without)).toEqual(new Set(patched.map((file) => `${file} imports missing ${GUARD_FILE}`)));
});

test("no list but the one of contents knows the digest of a patched chunk, or another check of OpenClaw's would fail", () => {
  const digests = plan(openclaw.root).files.map(({ original }) => sha256(original));
  revert(openclaw.root);
  const lists = jsonFiles(openclaw.root).filter((file) =>
    digests.some((digest) => readFileSync(join(openclaw.root, file), "utf8").includes(digest)),
  );
  expect(lists).toEqual([CONTENTS]);
});
