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
import { unsafePath } from "./errors.ts";
import { giveTo, type Owner } from "./owner.ts";
import type { Place } from "./place.ts";

/** Windows has neither. */
const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/**
 * A folder that is held open: what is done in it is done in this very folder, whatever is put in its place meanwhile.
 * Where the system has no way for that (not Linux), by its path.
 */
export class Folder {
  readonly path: string;
  readonly #handle: number | undefined;
  readonly #base: string;

  /** Opens a folder. Throws what the file system throws, also for a link. */
  constructor(path: string) {
    this.path = path;
    this.#handle = process.platform === "win32" ? undefined : opened(path);
    const byHandle = `/proc/self/fd/${this.#handle}`;
    this.#base = this.#handle !== undefined && process.platform === "linux" && existsSync(byHandle) ? byHandle : path;
  }

  /** The folder of a place that was looked at. Throws an {@link UnsafePathError} when another one is there by now. */
  static of({ folder, folderStat }: Place): Folder {
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
   * Whether no link has led here; undetermined is taken for yes. Some file systems do not tell capital letters from
   * small ones.
   */
  #isAt(folder: string): boolean {
    return this.#base === this.path || readlinkSync(this.#base).toLowerCase() === folder.toLowerCase();
  }

  /** The path of a file in it. */
  at(name: string): string {
    return join(this.#base, name);
  }

  /** Makes what was renamed or made in it survive a power cut; not every system can. */
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

  /** Gives it to a user, see {@link giveTo}, and a mode. */
  prepare(owner: Owner, mode: number | undefined): void {
    if (this.#handle === undefined) return;
    if (process.geteuid?.() === 0) giveTo(this.#handle, owner);
    if (mode !== undefined) fchmodSync(this.#handle, mode);
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
  }
}

/** One that may be written to and not listed has no handle. */
function opened(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return undefined;
    throw error;
  }
}

/**
 * Makes a folder with those above it that are missing, for its owner only (0700); the folder itself with `mode`, where
 * that is given. Made by root in the folder of a user, they are that user's. Throws what the file system throws.
 */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  let above = resolve(path);
  for (; !existsSync(above) && above !== dirname(above); above = dirname(above)) missing.unshift(basename(above));
  let parent = new Folder(realpathSync(above));
  try {
    const owner = parent.stat;
    for (const [at, name] of missing.entries()) {
      const isMade = made(parent.at(name));
      const next = new Folder(parent.at(name));
      parent.close();
      parent = next;
      if (isMade) parent.prepare(owner, at === missing.length - 1 ? mode : undefined);
    }
  } finally {
    parent.close();
  }
}

/** False when somebody else was first. */
function made(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
