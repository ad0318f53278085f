import { fchownSync, fstatSync } from "node:fs";

/** Whose a file is: that of a `Stats`. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Gives an open file to a user and a group, as far as this process may: root may (what `sudo` replaces in a user's
 * folder would otherwise be out of the reach of the user's gateway), others may choose a group that they are in. Never
 * throws.
 */
export function giveTo(handle: number, { uid, gid }: Owner): void {
  const isRoot = process.geteuid?.() === 0;
  const present = fstatSync(handle);
  if (process.geteuid === undefined || (present.gid === gid && (present.uid === uid || !isRoot))) return;
  try {
    fchownSync(handle, isRoot ? uid : -1, gid);
  } catch {
    // Root of a container that may not, or a group of others: it stays with whoever has written it.
  }
}
