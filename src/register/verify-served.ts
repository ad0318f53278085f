/** Compares what the hook would give to Node with what the engine makes of the files now. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stateDirectory } from "../store/state-directory.ts";
import { cacheFolder, hashKey, readCache } from "./cache.ts";
import { planServed } from "./engine.ts";
import { hookUrl } from "./hook-file.ts";
import { patchedText, type Served } from "./served.ts";
import { readHookBuild } from "./hook-build.ts";

/** What {@link verifyServed} found. */
export interface VerifiedServed extends Pick<Served, "patchSet" | "leftOut"> {
  /** The files that Node gets patched. */
  readonly files: readonly string[];
  /** Whether what is kept in the state directory for the next start is the same. */
  readonly cached: "same" | "different" | "none";
}

/**
 * Works out the patch of the OpenClaw in `root` anew, makes each patched file of the one on the disk, and compares the
 * cache with it. Throws a PatchError where `apply` would refuse.
 */
export function verifyServed(root: string, env: NodeJS.ProcessEnv = process.env): VerifiedServed {
  const hook = readHookBuild(dirname(fileURLToPath(hookUrl())));
  const served = planServed(root, hook.guard);
  for (const file of served.files)
    if (patchedText(file, readFileSync(join(root, file.file))) === undefined)
      throw new Error(`${file.file} could not be made of its lines`);
  const entry = { root, hook: hook.identity };
  const kept = readCache(cacheFolder(stateDirectory(env)), entry, hashKey(entry)).served;
  const cached = kept === undefined ? "none" : JSON.stringify(kept) === JSON.stringify(served) ? "same" : "different";
  return { patchSet: served.patchSet, leftOut: served.leftOut, files: served.files.map(({ file }) => file), cached };
}
