import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { apply, verify } from "../../src/patching/apply.ts";
import { patchFiles } from "../../src/patching/patch-file.ts";
import { plan } from "../../src/patching/plan.ts";
import { RELEASES } from "../../src/patching/base/releases.ts";
import { project, removeProjects, STUB_GUARD, treeOf } from "./fixture.ts";
import { NOTE, readyForPatchPackage, runPatchPackage } from "./patch-package.ts";

afterAll(removeProjects);
const options = { guard: STUB_GUARD };

test.each(RELEASES.map(({ release }) => release))(
  "patch-package makes of both files what the engine makes, and takes them back byte for byte: %s",
  async (release) => {
    const [ours, theirs] = [await project(release), await project(release)];
    const files = patchFiles(plan(theirs.root, options));
    const before = treeOf(theirs.root);
    apply(ours.root, options);
    readyForPatchPackage(theirs.folder, release, Object.values(files));
    runPatchPackage(theirs.folder);
    const { [NOTE]: note, ...after } = treeOf(theirs.root);
    expect(note).toBeDefined();
    expect(after).toEqual(treeOf(ours.root));
    expect(verify(theirs.root, options).state).toBe("patched");
    runPatchPackage(theirs.folder, "--reverse");
    expect(treeOf(theirs.root)).toEqual(before);
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

test("after the guard alone OpenClaw's files are as they were published, or a stop between the two would end OpenClaw's start", async () => {
  const { folder, root, files } = await project("2026.9.6");
  const { guard } = patchFiles(plan(root, options));
  cpSync(join(root, "dist"), join(folder, "before"), { recursive: true });
  readyForPatchPackage(folder, "2026.9.6", [guard]);
  runPatchPackage(folder);
  for (const file of files)
    expect(readFileSync(join(root, file))).toEqual(readFileSync(join(folder, "before", file.slice("dist/".length))));
  expect(readFileSync(join(root, "dist/openclaw-integrity.mjs"), "utf8")).toBe(STUB_GUARD);
});
