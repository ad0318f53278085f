/** Yarn Plug'n'Play: no node_modules; a manifest records where each package is, mostly in a zip archive. */
import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { patchError } from "../base/errors.ts";

/** The part of Yarn's Plug'n'Play API that is used here. */
interface PlugAndPlay {
  resolveToUnqualified(request: string, issuer: string): string | null;
  resolveVirtual?(path: string): string | null;
}

/** Path of the Plug'n'Play manifest in `folder`, if there is one. */
export function plugAndPlayIn(folder: string): string | undefined {
  const manifest = join(folder, ".pnp.cjs");
  return existsSync(manifest) ? manifest : undefined;
}

/**
 * The folder of the OpenClaw that code in `from` would import; undefined when it does not depend on OpenClaw. Throws
 * `openclaw-in-archive` when that OpenClaw is in a zip archive.
 */
export function openclawInPlugAndPlay(
  manifest: string,
  from: string,
  load: (path: string) => unknown,
): string | undefined {
  const api = load(manifest) as PlugAndPlay;
  let place: string | null;
  try {
    place = api.resolveToUnqualified("openclaw", `${from}${sep}`);
  } catch {
    // Not a dependency of that workspace.
    return undefined;
  }
  if (place === null) return undefined;
  place = api.resolveVirtual?.(place) ?? place;
  if (!/\.zip[\\/]/.test(place)) return place;
  throw patchError("openclaw-in-archive", {
    expected: "OpenClaw as files in a folder",
    found: `Yarn Plug'n'Play, which keeps it in an archive (${place})`,
    todo:
      "Run `yarn unplug openclaw` and apply again, or set `nodeLinker: node-modules` in .yarnrc.yml, run `yarn install` and " +
      "apply again; nothing was changed.",
  });
}
