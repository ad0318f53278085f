import { randomBytes } from "node:crypto";
import { type FileVersion, LINK } from "../git/trees.ts";
import { FolderHandle } from "../handles/folder-handle.ts";
import { STAGING_PREFIX } from "../snapshots/left-out.ts";
import type { Staged } from "./beneath.ts";

/** How often the folder is made anew when another program removes or exchanges it before it is opened. */
const MAX_TRIES = 20;

/** Where a move is made, and which one it is. */
export interface MovePlace {
  /** The folder of the workspace's snapshots. */
  readonly store: string;
  readonly root: FolderHandle;
  readonly intentId: string;
}

/**
 * The files of a move before they are moved: in the folder of the snapshots, which an agent in a sandbox does not
 * reach. Where that is another file system, and a rename cannot lead from there to the workspace, they are in the
 * workspace.
 */
export class Staging {
  readonly #folder: FolderHandle;
  #next = 0;

  constructor({ store, root, intentId }: MovePlace) {
    const snapshots = new FolderHandle(store);
    try {
      this.#folder = snapshots.isMountedWith(root) ? newFolder(snapshots, intentId) : newFolder(root, intentId);
    } finally {
      snapshots.close();
    }
  }

  /** Writes a file of this version, flushed to the disk, for its owner only. */
  async add(content: Uint8Array, version: FileVersion): Promise<Staged> {
    const name = String(this.#next++);
    const stat =
      version.mode === LINK ? this.#folder.link(name, content) : await this.#folder.create(name, content, 0o600);
    return { folder: this.#folder, name, stat, version };
  }

  close(): void {
    this.#folder.close();
  }
}

/** Makes and opens a folder with an unpredictable name; tries another name where that fails. */
function newFolder(above: FolderHandle, intentId: string): FolderHandle {
  for (let tries = 1; ; tries++) {
    try {
      return above.makeFolder(`${stagingName(intentId)}-${randomBytes(8).toString("hex")}`, 0o700);
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    }
  }
}

/** Removes what a move has staged. A folder that somebody else put into its staging folder stays, in that folder. */
export function removeStaging({ store, root, intentId }: MovePlace): void {
  const snapshots = new FolderHandle(store);
  try {
    for (const above of [snapshots, root])
      for (const { name } of above.entries()) if (name.startsWith(stagingName(intentId))) removeIn(above, name);
  } finally {
    snapshots.close();
  }
}

function removeIn(above: FolderHandle, name: string): void {
  try {
    const folder = above.folder(name);
    if (folder === undefined) return;
    try {
      for (const entry of folder.entries()) if (entry.kind !== "folder") folder.remove(entry.name);
    } finally {
      folder.close();
    }
    above.removeFolder(name);
  } catch (error) {
    // A link or a file in the folder's place is removed and not followed. What cannot be removed holds nobody up.
    if (["ELOOP", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) removeLink(above, name);
  }
}

function removeLink(above: FolderHandle, name: string): void {
  try {
    above.remove(name);
  } catch {
    // Somebody is exchanging it.
  }
}

function stagingName(intentId: string): string {
  return `${STAGING_PREFIX}${intentId.replaceAll(/[^\w-]/g, "")}`;
}
