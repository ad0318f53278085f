import { findInstallation, PatchError, verify, type Found } from "../../patching/index.ts";
import { isRegistered, findSetup, verifyServed } from "../../register/index.ts";
import { setupLines } from "../register/setup-lines.ts";
import { run, type CommonOptions, type Outcome } from "../run.ts";
import { leadLines, show } from "./show.ts";

/** `openclaw-integrity verify` */
export function verifyCommand(options: CommonOptions): void {
  run(options, () => {
    const found = findInstallation(options);
    try {
      const report = verify(found.root);
      return show(found, report, `patched, every byte as it should be (patch set ${report.patchSet})`);
    } catch (error) {
      if (!(error instanceof PatchError) || error.code !== "not-patched") throw error;
      return inMemory(found) ?? refuse(error);
    }
  });
}

/** The outcome for an OpenClaw that is patched when it is started; undefined when nothing says that it is. */
function inMemory(found: Found): Outcome | undefined {
  const { root, release, ways, places } = found;
  const register = findSetup(root, places);
  if (!isRegistered(register)) return undefined;
  const { patchSet, files, cached } = verifyServed(root);
  const kept = {
    same: "; what is kept for its next start is the same, byte for byte",
    none: "; nothing is kept for its next start yet",
    different: "; what is kept for its next start is not used, because it differs",
  }[cached];
  return {
    data: { root, release, ways, way: "register", patchSet, files, cached, register },
    lines: [
      `OpenClaw ${release} in ${root}: its files are as published, and patched when it is started (patch ` +
        `set ${patchSet}, ${files.length} files)${kept}`,
      ...leadLines(found),
      ...setupLines(register),
    ],
  };
}

function refuse(error: PatchError): never {
  throw error;
}
