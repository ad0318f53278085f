/** Works out the patch of an OpenClaw with the engine of `apply`, without writing anything into it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { plan } from "../patching/plan.ts";
import { PATCH_SET } from "../patching/points/index.ts";
import { type Served, servedFile } from "./served.ts";

/** Plans the patch of the OpenClaw in `root` for this guard. Throws a PatchError where `apply` would refuse. */
export function planServed(root: string, guard: string): Served {
  const { release, known, files, leftOut } = plan(root, { guard });
  return {
    root,
    release,
    known,
    patchSet: PATCH_SET,
    files: files.map(({ file, patched }) => servedFile(file, readFileSync(join(root, file), "utf8"), patched)),
    leftOut,
  };
}
