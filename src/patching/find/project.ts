/** Finds the OpenClaw of a project, in the layout of any package manager. */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { isFolder, isOpenclaw } from "./package.ts";
import { openclawInPlugAndPlay, plugAndPlayIn } from "./plug-and-play.ts";

/**
 * Finds the OpenClaw of the project around `start`: the folder itself when it is OpenClaw, else the one that code in
 * `start` would import (npm, Yarn, pnpm and Bun layouts, hoisted or not, and Yarn Plug'n'Play), else those that pnpm
 * keeps for other workspaces of the project. Empty when there is none. Throws `openclaw-in-archive`.
 */
export function openclawOfProject(start: string): readonly string[] {
  const from = resolve(start);
  for (let folder = from; ; folder = dirname(folder)) {
    if (isOpenclaw(folder)) return [folder];
    const installed = join(folder, "node_modules", "openclaw");
    // As in Node, a folder of that name ends the search, even when it is damaged.
    if (isFolder(installed)) return [installed];
    const plugAndPlay = plugAndPlayIn(folder);
    if (plugAndPlay !== undefined) {
      const place = openclawInPlugAndPlay(plugAndPlay, from, createRequire(plugAndPlay));
      return place === undefined ? [] : [place];
    }
    const kept = keptByPnpm(folder);
    if (kept.length > 0) return kept;
    if (folder === dirname(folder)) return [];
  }
}

/** pnpm keeps every package of all workspaces in one folder of the topmost node_modules. */
function keptByPnpm(folder: string): readonly string[] {
  const store = join(folder, "node_modules", ".pnpm");
  if (!isFolder(store)) return [];
  const names = readdirSync(store).filter((name) => name.startsWith("openclaw@"));
  return names.map((name) => join(store, name, "node_modules", "openclaw")).filter(isFolder);
}
