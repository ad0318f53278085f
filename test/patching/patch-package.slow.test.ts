/** The patch files on whole installed packages, with the built guard: what those have who keep patches themselves. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apply, verify } from "../../src/patching/apply.ts";
import { patchFiles } from "../../src/patching/patch-file.ts";
import type { PatchFiles } from "../../src/patching/patch-file.ts";
import { plan } from "../../src/patching/plan.ts";
import { RELEASES } from "../../src/patching/base/releases.ts";
import {
  contentErrors,
  importErrors,
  installedPackage,
  packedFiles,
  postinstall,
} from "../update/installed-package.ts";
import type { InstalledPackage } from "../update/installed-package.ts";
import { hashTree } from "./fixture.ts";
import { NOTE, readyForPatchPackage, runPatchPackage } from "./patch-package.ts";

/** patch-package writes in place: what it changes must not be shared with the stock installation. */
async function ownPackage(release: (typeof RELEASES)[number]["release"]): Promise<InstalledPackage> {
  const installed = await installedPackage(release);
  const { files, lists } = plan(installed.root);
  for (const { file } of [...files, ...lists]) installed.putBack(file);
  return installed;
}

describe.each(RELEASES.map(({ release }) => release))("a whole OpenClaw %s", (release) => {
  let openclaw: InstalledPackage;
  let files: PatchFiles;
  beforeAll(async () => {
    openclaw = await ownPackage(release);
    files = patchFiles(plan(openclaw.root));
  });
  afterAll(() => openclaw.remove());

  test("is by patch-package what it is by apply, in every byte of the package, and the published one after the reverse", async () => {
    const { folder, root } = openclaw;
    const before = hashTree(root);
    readyForPatchPackage(folder, release, Object.values(files));
    runPatchPackage(folder);
    expect(verify(root).state).toBe("patched");
    const { [NOTE]: note, ...patched } = hashTree(root);
    runPatchPackage(folder, "--reverse");
    expect([note !== undefined, hashTree(root)]).toEqual([true, before]);
    apply(root);
    expect(hashTree(root)).toEqual(patched);
  });
});

test("OpenClaw 2026.9.6 accepts its package after either file, or its update would carry the patch over and its cloud nodes refuse it", async () => {
  const { folder, root, remove } = await ownPackage("2026.9.6");
  try {
    const planned = plan(root);
    const { guard, callSites } = patchFiles(planned);
    readyForPatchPackage(folder, "2026.9.6", [guard]);
    runPatchPackage(folder);
    expect(await contentErrors(root)).toEqual([]);
    readyForPatchPackage(folder, "2026.9.6", [guard, callSites]);
    runPatchPackage(folder);
    expect(verify(root).state).toBe("patched");
    expect(await contentErrors(root)).toEqual([]);
    expect(postinstall(root)).toBe("");
    const importers = [...planned.files.map(({ file }) => file), planned.guard.file];
    expect(await importErrors(root, importers, await packedFiles(root))).toEqual([]);
    expect(verify(root).state).toBe("patched");
  } finally {
    remove();
  }
});
