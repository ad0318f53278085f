import type { Change } from "../git/trees.ts";
import { FolderHandle } from "../handles/folder-handle.ts";
import { withTurns } from "./turns.ts";

/**
 * Paths of files that would come back where something stands that no snapshot has and that stays: a pipe, a file that
 * is too large, a folder with such things in it, what cannot be looked at.
 */
export async function takenPlaces(workspace: string, changes: readonly Change[]): Promise<ReadonlySet<string>> {
  const coming = changes.filter(({ before, after }) => before === undefined && after !== undefined);
  const going = new Set(changes.flatMap(({ path, after }) => (after === undefined ? [path] : [])));
  const taken = new Set<string>();
  const root = new FolderHandle(workspace);
  try {
    for await (const { path } of withTurns(coming)) if (!isFree(root, path, going)) taken.add(path);
  } finally {
    root.close();
  }
  return taken;
}

function isFree(root: FolderHandle, path: string, going: ReadonlySet<string>): boolean {
  try {
    const found = open(root, path);
    if (found === undefined || typeof found === "string") return found === undefined || going.has(found);
    return isEmptied(found, path, going);
  } catch {
    return false;
  }
}

/** Opens the folder at a path: undefined where nothing is, the path of the file that is in the way. */
function open(root: FolderHandle, path: string): FolderHandle | string | undefined {
  let folder = root;
  const names = path.split("/");
  for (const [at, name] of names.entries()) {
    const above = folder;
    try {
      const stat = above.stat(name);
      if (stat?.isDirectory() === false) return names.slice(0, at + 1).join("/");
      const next = stat && above.folder(name);
      if (next === undefined) return undefined;
      folder = next;
    } finally {
      if (above !== root) above.close();
    }
  }
  return folder;
}

/** Whether all files below a folder go, and all folders with them. Closes the folder. */
function isEmptied(top: FolderHandle, path: string, going: ReadonlySet<string>): boolean {
  try {
    const waiting = [""];
    for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
      const folder = below === "" ? top : open(top, below.slice(0, -1));
      if (!(folder instanceof FolderHandle)) return false;
      const entries = folder.entries(going.size + 1);
      if (folder !== top) folder.close();
      // Only a folder from which a file went goes with it.
      if (entries.length === 0 && folder !== top) return false;
      for (const { name, kind } of entries)
        if (kind === "folder") waiting.push(`${below}${name}/`);
        else if (!going.has(`${path}/${below}${name}`)) return false;
    }
    return true;
  } finally {
    top.close();
  }
}
