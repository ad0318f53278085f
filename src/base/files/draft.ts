/** Files that are replaced in one step: a draft is written beside the file and renamed over it. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { withErrorsAt } from "./errors.ts";
import { Folder } from "./folder.ts";
import { setOwner, type Owner } from "./owner.ts";
import { resolvePlace, type Place, type PlaceOptions } from "./place.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
/** How much of the file's name a draft's name repeats: file systems allow at most 255 bytes. */
const KEPT = 60;
const CHUNK = 1 << 20;
/** A draft's name. */
const DRAFT = /\.integrity-[0-9a-f]{16}\.tmp$/;
/** Longer than any write takes. */
const OLD_MS = 3_600_000;

export interface DraftOptions extends PlaceOptions {
  /** Permissions of the file. While it is a draft, only its owner may read it. */
  readonly mode: number;
  /**
   * Owner of the file, as far as this process may set it. By default the owner of the replaced file, or of the folder
   * for a new file.
   */
  readonly owner?: Owner | undefined;
}

/**
 * A temporary file that replaces another one. It is created new under a name that cannot be guessed, so that nothing
 * another user has put there is written to. After a kill the file has its old content or the new one; a draft that is
 * left is removed by a later one in the folder, once it is an hour old. To be called in this order: `write`
 * or `copy`, or `link`; then `put` or `putNew`; always {@link close}.
 */
export class Draft {
  readonly #place: Place;
  readonly #folder: Folder;
  readonly #options: DraftOptions;
  readonly #name: string;
  #handle: number | undefined;
  /** The draft has a name on the disk, which {@link close} removes. */
  #isOnDisk = false;

  /** Throws an `UnsafePathError` as {@link resolvePlace} does, and what the file system throws. */
  constructor(file: string, options: DraftOptions) {
    this.#place = resolvePlace(file, options);
    this.#options = options;
    this.#name = `${this.#place.name.slice(0, KEPT).toWellFormed()}.integrity-${randomBytes(8).toString("hex")}.tmp`;
    this.#folder = Folder.open(this.#place);
    sweepDrafts(this.#folder);
  }

  /** Path of the draft. */
  get path(): string {
    return join(this.#place.folder, this.#name);
  }

  /** Path of the file that is replaced, with all links resolved. */
  get target(): string {
    return this.#place.path;
  }

  write(bytes: string | Uint8Array): void {
    const data = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    for (let written = 0; written < data.length;) written += writeSync(this.#open(), data, written);
  }

  /** Copies an open file from its beginning; `onChunk` gets each chunk that was copied. */
  copy(handle: number, onChunk: (bytes: Uint8Array) => void): void {
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let at = 0, read = 0; (read = readSync(handle, chunk, 0, CHUNK, at)) > 0; at += read) {
      this.write(chunk.subarray(0, read));
      onChunk(chunk.subarray(0, read));
    }
  }

  /**
   * Makes the draft a hard link to a file, which takes no room; it is the file itself then, and must not be written to.
   * Returns false where the file system cannot.
   */
  link(file: string): boolean {
    try {
      linkSync(file, this.#folder.at(this.#name));
      this.#isOnDisk = true;
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Renames the draft over the file and flushes it to the disk. Throws what the file system throws; the file is
   * unchanged then, unless only the flush of the folder failed.
   */
  put(): void {
    this.#finish();
    withErrorsAt(this.target, () => renameSync(this.#folder.at(this.#name), this.#folder.at(this.#place.name)));
    this.#isOnDisk = false;
    this.#folder.sync();
  }

  /** {@link put} for a file that must not exist: throws EEXIST when there is one by now. */
  putNew(): void {
    const { name } = this.#place;
    this.#finish();
    try {
      // The draft's own name is removed by `close`.
      linkSync(this.#folder.at(this.#name), this.#folder.at(name));
    } catch (error) {
      // Without hard links, the check and the rename are two steps.
      if ((error as NodeJS.ErrnoException).code === "EEXIST" || existsSync(this.#folder.at(name))) throw error;
      renameSync(this.#folder.at(this.#name), this.#folder.at(name));
      this.#isOnDisk = false;
    }
    this.#folder.sync();
  }

  /** Removes the draft unless it was put in place. */
  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
    if (this.#isOnDisk) rmSync(this.#folder.at(this.#name), { force: true });
    this.#isOnDisk = false;
    this.#folder.close();
  }

  /** Sets owner and mode. A draft that is a hard link keeps those of its file. */
  #finish(): void {
    if (this.#handle === undefined && this.#isOnDisk) return;
    const { owner = this.#place.present ?? this.#place.folderStat, mode } = this.#options;
    const handle = this.#open();
    setOwner(handle, owner);
    fchmodSync(handle, mode & 0o777);
    fsyncSync(handle);
  }

  #open(): number {
    if (this.#handle === undefined) {
      const path = this.#folder.at(this.#name);
      this.#handle = withErrorsAt(this.target, () => openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
      this.#isOnDisk = true;
    }
    return this.#handle;
  }
}

/** When this process last looked for old drafts in a folder. */
const swept = new Map<string, number>();

/**
 * Removes the drafts that kills have left in a folder for more than an hour: this user's own; as root, and on Windows,
 * everybody's. A process looks into a folder once an hour at most. Never throws.
 */
export function sweepDrafts(folder: Folder, now: number = Date.now()): void {
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

/**
 * Replaces a file in one step: after a kill or a power cut it has either the old content or the new, complete. Throws
 * as {@link Draft} does.
 */
export function replaceFile(file: string, bytes: string | Uint8Array, options: DraftOptions): void {
  const draft = new Draft(file, options);
  try {
    draft.write(bytes);
    draft.put();
  } finally {
    draft.close();
  }
}
