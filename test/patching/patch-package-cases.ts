/** The patch files on whole installed packages, with the built guard: what those have who keep patches themselves. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apply, verify } from "../../src/patching/apply.ts";
import type { Release } from "../../src/patching/base/releases.ts";
import { patchFiles, type PatchFiles } from "../../src/patching/patch-file.ts";
import { plan } from "../../src/patching/plan.ts";
import { installedPackage, type InstalledPackage } from "../update/installed-package.ts";
import { hashTree } from "./fixture.ts";
import { NOTE, readyForPatchPackage, runPatchPackage } from "./patch-package.ts";

/** patch-package writes in place: what it changes must not be shared with the stock installation. */
export async function ownPackage(release: Release): Promise<InstalledPackage> {
  const installed = await installedPackage(release);
  const { files, lists } = plan(installed.root);
  for (const { file } of [...files, ...lists]) installed.putBack(file);
  return installed;
}

/** On all files of a release. */
export function wholeByPatchPackage(release: Release): void {
  describe(`a whole OpenClaw ${release}`, () => {
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
}
