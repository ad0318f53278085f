import { expect, test } from "vitest";
import { verify } from "../../src/patching/apply.ts";
import { patchFiles } from "../../src/patching/patch-file.ts";
import { plan } from "../../src/patching/plan.ts";
import { contentErrors, importErrors, packedFiles, postinstall } from "../update/installed-package.ts";
import { ownPackage, wholeByPatchPackage } from "./patch-package-cases.ts";
import { readyForPatchPackage, runPatchPackage } from "./patch-package.ts";

// The files of 2026.9.6 alone: patch-file.slow.test.ts; all of its package: patch-package.heavy.test.ts.
wholeByPatchPackage("2026.2.3");

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
