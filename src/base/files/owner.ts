import { fchownSync, fstatSync } from "node:fs";

/** The owner of a file, as in a `Stats`. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Sets the owner and group of an open file, as far as this process may: root sets both, so that the user's gateway can
 * read a file that `sudo` has replaced; other users only a group they belong to. Where the system refuses, and on
 * Windows, the file keeps its owner. Throws for a handle that is closed.
 */
export function setOwner(handle: number, { uid, gid }: Owner): void {
  const isRoot = process.geteuid?.() === 0;
  const present = fstatSync(handle);
  if (process.geteuid === undefined || (present.gid === gid && (present.uid === uid || !isRoot))) return;
  try {
    fchownSync(handle, isRoot ? uid : -1, gid);
  } catch {
    // A container's root without that right, or a group of other users: the file stays with the user who wrote it.
  }
}
