import { lstatSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { patchError } from "../base/errors.ts";

/** Real path of dist when dist is a symbolic link that leads out of the package; otherwise undefined. */
export function linkedDist(root: string): string | undefined {
  const dist = join(root, "dist");
  if (!lstatSync(dist, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  const real = realpathSync(dist);
  return real.startsWith(`${realpathSync(root)}${sep}`) ? undefined : real;
}

/**
 * Throws `openclaw-linked` for a dist outside the package, unless `followLinks` is set: other users of that folder (a
 * checkout, another installation) would be patched too.
 */
export function assertOwnDist(root: string, followLinks: boolean): void {
  const real = followLinks ? undefined : linkedDist(root);
  if (real === undefined) return;
  throw patchError("openclaw-linked", {
    expected: `${join(root, "dist")} to be a folder of the package`,
    found: `a symbolic link to ${real}, whose files would be changed`,
    todo:
      "When that is what you want, add --follow-links, or name the OpenClaw that the folder belongs to with " +
      "--path. Nothing was changed.",
  });
}
