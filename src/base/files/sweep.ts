import { lstatSync, readdirSync, rmSync } from "node:fs";
import type { Folder } from "./folder.ts";

/** What a draft is called, and what drafts were called by earlier versions. */
const DRAFT = /\.integrity-(?:[0-9a-f]{16}|\d+|next)\.tmp$/;
/** Long after any write is done. */
const OLD_MS = 3_600_000;

const swept = new Map<string, number>();

/**
 * Removes the drafts that a kill has left in a folder, when they are old and this user's; looks once an hour. Never
 * throws.
 */
export function sweep(folder: Folder, now: number = Date.now()): void {
  if (now - (swept.get(folder.path) ?? -Infinity) < OLD_MS) return;
  swept.set(folder.path, now);
  try {
    for (const name of readdirSync(folder.at("."))) {
      if (!DRAFT.test(name)) continue;
      const stat = lstatSync(folder.at(name), { throwIfNoEntry: false });
      if (stat?.isFile() && now - stat.mtimeMs > OLD_MS && [undefined, 0, stat.uid].includes(process.geteuid?.()))
        rmSync(folder.at(name), { force: true });
    }
  } catch {
    // Nothing depends on it.
  }
}
