import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apply, verify } from "../../src/patching/apply.ts";
import { patchFiles } from "../../src/patching/patch-file.ts";
import { plan } from "../../src/patching/plan.ts";
import { RELEASES } from "../../src/patching/base/releases.ts";
import { project, STUB_GUARD, hashTree } from "./fixture.ts";
import { NOTE, readyForPatchPackage, runPatchPackage } from "./patch-package.ts";

const options = { guard: STUB_GUARD };

test.each(RELEASES.map(({ release }) => release))(
  "patch-package makes of both files what the engine makes, and takes them back byte for byte: %s",
  async (release) => {
    const [ours, theirs] = [await project(release), await project(release)];
    const files = patchFiles(plan(theirs.root, options));
    const before = hashTree(theirs.root);
    apply(ours.root, options);
    readyForPatchPackage(theirs.folder, release, Object.values(files));
    runPatchPackage(theirs.folder);
    const { [NOTE]: note, ...after } = hashTree(theirs.root);
    expect(note).toBeDefined();
    expect(after).toEqual(hashTree(ours.root));
    expect(verify(theirs.root, options).state).toBe("patched");
    runPatchPackage(theirs.folder, "--reverse");
    expect(hashTree(theirs.root)).toEqual(before);
    // No more of OpenClaw's text than one line on either side of a changed one.
    const lines = Object.values(files).flatMap(({ text }) => text.split("\n"));
    const changed = lines.filter((line) => /^[+-]/.test(line)).length;
    expect(lines.filter((line) => line.startsWith(" ")).length).toBeLessThanOrEqual(2 * changed);
  },
);

test.each(RELEASES.map(({ release }) => release))(
  "another guard changes no line of the call sites, which are what is reviewed: %s",
  async (release) => {
    const { root } = await project(release);
    const one = patchFiles(plan(root, options));
    const other = patchFiles(plan(root, { guard: `// Longer.\n${STUB_GUARD}// And more.\n` }));
    expect(other.callSites).toEqual(one.callSites);
    expect(other.guard.text).not.toBe(one.guard.text);
    expect(one.callSites.text).not.toContain("openclaw-integrity.mjs\n");
  },
);

// Somebody who runs the command that writes them has often patched this OpenClaw already.
test("the files of a patched OpenClaw, of whatever guard, are those of the published one", async () => {
  const { root } = await project("2026.9.6");
  const published = patchFiles(plan(root, options));
  apply(root, { guard: `${STUB_GUARD}// older\n` });
  expect(patchFiles(plan(root, options))).toEqual(published);
});

test("where the guard's file does not fit, no call site is put in, which would import what is not there", async () => {
  const { folder, root } = await project("2026.9.6");
  const files = patchFiles(plan(root, options));
  const names = join(root, "dist/postinstall-inventory.json");
  writeFileSync(names, readFileSync(names, "utf8").replace(/"\n\]\n$/, '.other"\n]\n'));
  const before = hashTree(join(root, "dist"));
  readyForPatchPackage(folder, "2026.9.6", Object.values(files));
  expect(() => runPatchPackage(folder)).toThrow("patch-package");
  expect(hashTree(join(root, "dist"))).toEqual(before);
});
