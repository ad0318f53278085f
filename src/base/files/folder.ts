import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { withErrorsAt, unsafePath } from "./errors.ts";
import { setOwner, type Owner } from "./owner.ts";
import type { Place } from "./place.ts";

/** Windows has neither O_DIRECTORY nor O_NOFOLLOW. */
const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/**
 * An open folder. On Linux all work goes to this very folder, even if another one is put in its place meanwhile;
 * elsewhere the folder is found by its path each time.
 */
export class Folder {
  readonly path: string;
  readonly #handle: number | undefined;
  readonly #base: string;

  /** Opens a folder. Throws what the file system throws; a link is an error too. */
  constructor(path: string) {
    this.path = path;
    this.#handle = process.platform === "win32" ? undefined : openFolder(path);
    const byHandle = `/proc/self/fd/${this.#handle}`;
    this.#base = this.#handle !== undefined && process.platform === "linux" && existsSync(byHandle) ? byHandle : path;
  }

  /**
   * Opens the folder of a place that was checked. Throws an {@link UnsafePathError} when another folder is there by
   * now.
   */
  static open({ folder, folderStat }: Place): Folder {
    const opening = new Folder(folder);
    const { dev, ino } = opening.stat;
    if (dev === folderStat.dev && ino === folderStat.ino && opening.#isAt(folder)) return opening;
    opening.close();
    throw unsafePath({
      expected: `the folder ${folder} to stay where it is`,
      found: "another one in its place a moment later",
      todo: "Somebody changes it at the same time: find out who. Nothing was changed.",
    });
  }

  /**
   * Whether the folder was opened without following a link; true where that cannot be found out. Compared without case,
   * because some file systems ignore it.
   */
  #isAt(folder: string): boolean {
    return this.#base === this.path || readlinkSync(this.#base).toLowerCase() === folder.toLowerCase();
  }

  /** Path of a file in the folder. */
  at(name: string): string {
    return join(this.#base, name);
  }

  /** Flushes the folder, so that renamed and created files survive a power cut; a no-op on file systems that cannot. */
  sync(): void {
    try {
      if (this.#handle !== undefined) fsyncSync(this.#handle);
    } catch (error) {
      if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }

  get stat(): Stats {
    return this.#handle === undefined ? lstatSync(this.path) : fstatSync(this.#handle);
  }

  /** Sets the owner, as {@link setOwner} does and only as root, and the mode. */
  prepare(owner: Owner, mode: number | undefined): void {
    if (this.#handle === undefined) return;
    if (process.geteuid?.() === 0) setOwner(this.#handle, owner);
    if (mode !== undefined) fchmodSync(this.#handle, mode);
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
  }
}

/** Opens a folder; undefined for one that may be written to but not listed. */
function openFolder(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return undefined;
    throw error;
  }
}

/**
 * Makes a folder and its missing parents, accessible by their owner only (0700); the folder itself has `mode`, if
 * given. When root makes them in a user's folder, they belong to that user. Throws what the file system throws.
 */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  let above = resolve(path);
  for (; !existsSync(above) && above !== dirname(above); above = dirname(above)) missing.unshift(basename(above));
  let parent = new Folder(realpathSync(above));
  try {
    const owner = parent.stat;
    for (const [at, name] of missing.entries()) {
      const isMade = withErrorsAt(path, () => made(parent.at(name)));
      const next = withErrorsAt(path, () => new Folder(parent.at(name)));
      parent.close();
      parent = next;
      if (isMade) parent.prepare(owner, at === missing.length - 1 ? mode : undefined);
    }
  } finally {
    parent.close();
  }
}

/** Makes a folder; false when it exists already. */
function made(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
