/** Files that are replaced in one step: a draft is written beside the file and renamed over it. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { Folder } from "./folder.ts";
import { giveTo, type Owner } from "./owner.ts";
import { placeOf, type Place, type PlaceOptions } from "./place.ts";
import { sweep } from "./sweep.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
/** Names are at most 255 bytes. */
const NAME_KEPT = 60;
const CHUNK = 1 << 20;

export interface DraftOptions extends PlaceOptions {
  /** Permissions of the file. While it is a draft, only its owner may read it. */
  readonly mode: number;
  /**
   * Whose the file is to be, where this process may say; whose the replaced one is when left out, and of a new one its
   * folder's owner.
   */
  readonly owner?: Owner | undefined;
}

/**
 * What is going to be in a file's place. Its name cannot be guessed, and it is made anew: nothing that was put there
 * before is written to. After a kill the file is as it was, and a draft that was left is removed when the next one is
 * made in the folder. {@link close} it in any case.
 */
export class Draft {
  readonly #place: Place;
  readonly #folder: Folder;
  readonly #options: DraftOptions;
  readonly #name: string;
  #handle: number | undefined;
  #isLeft = false;

  /** Throws an `UnsafePathError`, see {@link placeOf}; and what the file system throws. */
  constructor(file: string, options: DraftOptions) {
    this.#place = placeOf(file, options);
    this.#options = options;
    this.#name = `${this.#place.name.slice(0, NAME_KEPT).toWellFormed()}.integrity-${randomBytes(8).toString("hex")}.tmp`;
    this.#folder = Folder.of(this.#place);
    sweep(this.#folder);
  }

  /** Where the draft lies. */
  get path(): string {
    return join(this.#place.folder, this.#name);
  }

  /** The file that is replaced, with no link on the way to it. */
  get target(): string {
    return this.#place.path;
  }

  write(bytes: string | Uint8Array): void {
    const data = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    for (let written = 0; written < data.length;) written += writeSync(this.#open(), data, written);
  }

  /** Copies an open file from its beginning on; `onChunk` sees what is copied. */
  copy(handle: number, onChunk: (bytes: Uint8Array) => void): void {
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let at = 0, read = 0; (read = readSync(handle, chunk, 0, CHUNK, at)) > 0; at += read) {
      this.write(chunk.subarray(0, read));
      onChunk(chunk.subarray(0, read));
    }
  }

  /**
   * Lets the draft be another name of a file (a hard link), which takes no room. False where the file system cannot.
   */
  link(file: string): boolean {
    try {
      linkSync(file, this.#folder.at(this.#name));
      this.#isLeft = true;
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Puts it in the file's place, on the disk for good. Throws what the file system throws; the file is as it was then.
   */
  put(): void {
    this.#finish();
    renameSync(this.#folder.at(this.#name), this.#folder.at(this.#place.name));
    this.#isLeft = false;
    this.#folder.sync();
  }

  /** {@link put} where no file may be: throws EEXIST for one that is there by now. */
  putNew(): void {
    const { name } = this.#place;
    this.#finish();
    try {
      linkSync(this.#folder.at(this.#name), this.#folder.at(name));
    } catch (error) {
      // A file system without hard links cannot tell it in one step.
      if ((error as NodeJS.ErrnoException).code === "EEXIST" || existsSync(this.#folder.at(name))) throw error;
      renameSync(this.#folder.at(this.#name), this.#folder.at(name));
      this.#isLeft = false;
    }
    this.#folder.sync();
  }

  /** Removes it unless it was put in place. */
  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
    if (this.#isLeft) rmSync(this.#folder.at(this.#name), { force: true });
    this.#isLeft = false;
    this.#folder.close();
  }

  /** A link to another file is as that one is. */
  #finish(): void {
    if (this.#handle === undefined && this.#isLeft) return;
    const { owner = this.#place.present ?? this.#place.folderStat, mode } = this.#options;
    const handle = this.#open();
    giveTo(handle, owner);
    fchmodSync(handle, mode & 0o777);
    fsyncSync(handle);
  }

  #open(): number {
    if (this.#handle === undefined) {
      this.#handle = openSync(this.#folder.at(this.#name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      this.#isLeft = true;
    }
    return this.#handle;
  }
}

/**
 * Puts a file in place as one step: after a kill or a power cut it is the old one or the new one, whole. Throws as
 * {@link Draft} does.
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
