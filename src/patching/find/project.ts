/** Finds the OpenClaw of a project, in the layout of any package manager. */
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { refuseForeign } from "./foreign.ts";
import { isFolder, isOpenclaw } from "./package.ts";
import { openclawInPlugAndPlay, plugAndPlayIn } from "./plug-and-play.ts";

/**
 * Finds the OpenClaw of the project that contains `start`. Walks up from `start` to the first folder that is OpenClaw
 * itself, has OpenClaw in node_modules (npm, Yarn, pnpm and Bun layouts), uses Yarn Plug'n'Play, or has OpenClaw in
 * pnpm's virtual store, where there can be several. Returns an empty list when there is none. Throws
 * `openclaw-in-archive` where Plug'n'Play keeps OpenClaw in a zip archive, `openclaw-missing` where its manifest cannot
 * be read, and `openclaw-foreign` for a manifest or a closed folder of another user. The caller has to check who owns
 * the returned folders.
 */
export function openclawOfProject(start: string): readonly string[] {
  const from = resolve(start);
  for (let folder = from; ; folder = dirname(folder)) {
    if (isOpenclaw(folder)) return [folder];
    const installed = join(folder, "node_modules", "openclaw");
    // As in Node, a folder of that name ends the search, even when it is damaged.
    if (refuseForeign(installed, () => isFolder(installed))) return [installed];
    const plugAndPlay = plugAndPlayIn(folder);
    if (plugAndPlay !== undefined) {
      const place = openclawInPlugAndPlay(plugAndPlay, from);
      return place === undefined ? [] : [place];
    }
    const kept = keptByPnpm(folder);
    if (kept.length > 0) return kept;
    if (folder === dirname(folder)) return [];
  }
}

/** Returns the copies of OpenClaw in pnpm's virtual store, where pnpm keeps the packages of all workspaces. */
function keptByPnpm(folder: string): readonly string[] {
  const store = join(folder, "node_modules", ".pnpm");
  if (!isFolder(store)) return [];
  const names = refuseForeign(store, () => readdirSync(store)).filter((name) => name.startsWith("openclaw@"));
  return names.map((name) => join(store, name, "node_modules", "openclaw")).filter(isFolder);
}
