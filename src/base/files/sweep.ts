import { lstatSync, readdirSync, rmSync } from "node:fs";
import type { Folder } from "./folder.ts";

/** Names of drafts, of this version and of earlier ones. */
const DRAFT = /\.integrity-(?:[0-9a-f]{16}|\d+|next)\.tmp$/;
/** Longer than any write takes. */
const OLD_MS = 3_600_000;

const swept = new Map<string, number>();

/**
 * Removes the drafts (temporary files of draft.ts) that kills have left in a folder for more than an hour: this user's
 * own; as root, and on Windows, everybody's. A process looks into a folder once an hour at most. Never throws.
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
    // Drafts that stay do no harm.
  }
}
