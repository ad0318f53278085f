import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { bytesOf, type Version } from "../git/trees.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const CHUNK = 1 << 20;
const EXECUTABLE = 0o111;

/** A folder on the way to a file is a link or a file: nothing is read or written through it. */
export class BlockedPathError extends Error {
  override readonly name = "BlockedPathError";
  readonly path: string;

  constructor(path: string, cause?: unknown) {
    super("a folder on the way is a link or a file", { cause });
    this.path = path;
  }
}

/**
 * The files below a workspace. Each folder on the way to a file is opened without following links, and on Linux the work
 * goes to that very folder, whatever is put in its place meanwhile: nothing outside of the workspace is reached.
 */
export class Beneath {
  readonly #root: string;

  constructor(workspace: string) {
    this.#root = workspace;
  }

  /** What stands at a path: undefined for nothing or a folder. Throws a {@link BlockedPathError}. */
  version(path: string): Version {
    return this.#at(path, false, (file) => {
      if (file === undefined) return undefined;
      const stat = lstatSync(file, { throwIfNoEntry: false });
      if (stat === undefined || stat.isDirectory()) return undefined;
      if (stat.isSymbolicLink()) return { mode: "120000", oid: blobId(readlinkSync(file, { encoding: "buffer" })) };
      // A pipe or a device is nothing that a snapshot has.
      if (!stat.isFile()) return { mode: "none", oid: "" };
      return { mode: stat.mode & EXECUTABLE & 0o100 ? "100755" : "100644", oid: fileId(file, stat) };
    });
  }

  /** Removes a file or a link, and the folders that are empty without it. */
  remove(path: string): void {
    this.#at(path, false, (file) => file && unlinkSync(file));
    this.#removeEmpty(path);
  }

  /** Removes the folders on the way to a path that are empty. */
  #removeEmpty(path: string): void {
    for (let at = parentOf(path); at !== ""; at = parentOf(at)) {
      try {
        this.#at(at, false, (folder) => folder && rmdirSync(folder));
      } catch {
        return;
      }
    }
  }

  /** Puts a staged file at a path, in the place of the file or the empty folder there; makes missing folders. */
  place(staged: string, path: string): void {
    this.#at(staged, false, (from) =>
      this.#at(path, true, (to) => {
        if (from === undefined || to === undefined) throw new BlockedPathError(path);
        const present = lstatSync(to, { throwIfNoEntry: false });
        if (present?.isDirectory() === true) rmdirSync(to);
        // Permissions besides the executable bit are those of the file that is replaced.
        else if (present?.isFile() === true && lstatSync(from).isFile())
          chmodSync(from, (present.mode & ~EXECUTABLE & 0o777) | (lstatSync(from).mode & EXECUTABLE));
        renameSync(from, to);
      }),
    );
  }

  /** Writes a new file, flushed to the disk. */
  write(path: string, content: Uint8Array, mode: string): void {
    this.#at(path, true, (file) => {
      if (file === undefined) throw new BlockedPathError(path);
      if (mode === "120000") {
        symlinkSync(Buffer.from(content), file);
        return;
      }
      const handle = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
      try {
        for (let at = 0; at < content.length;) at += writeSync(handle, content, at);
        if (mode === "100755") fchmodSync(handle, 0o777 & ~process.umask());
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    });
  }

  /**
   * Runs `use` on the path of a file below folders that were opened one after the other; on undefined when a folder is
   * missing and `makes` is false.
   */
  #at<Value>(path: string, makes: boolean, use: (file: Buffer | undefined) => Value): Value {
    const names = path.split("/");
    const name = names.pop()!;
    let folder = openFolder(Buffer.from(this.#root), path);
    try {
      for (const part of names) {
        const next = nextFolder(folder, part, path, makes);
        if (next === undefined) return use(undefined);
        closeSync(folder.handle);
        folder = next;
      }
      return use(joined(folder, name));
    } finally {
      closeSync(folder.handle);
    }
  }
}

interface OpenFolder {
  readonly handle: number;
  readonly base: Buffer;
}

const HANDLES = "/proc/self/fd";

function openFolder(path: Buffer, of: string): OpenFolder {
  let handle: number;
  try {
    handle = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (["ELOOP", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw new BlockedPathError(of, error);
    throw error;
  }
  const byHandle = `${HANDLES}/${handle}`;
  return { handle, base: process.platform === "linux" && existsSync(byHandle) ? Buffer.from(byHandle) : path };
}

function nextFolder(folder: OpenFolder, part: string, of: string, makes: boolean): OpenFolder | undefined {
  const path = joined(folder, part);
  try {
    return openFolder(path, of);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    if (!makes) return undefined;
    mkdirSync(path);
    return openFolder(path, of);
  }
}

function joined({ base }: OpenFolder, name: string): Buffer {
  return Buffer.concat([base, Buffer.from("/"), bytesOf(name)]);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The object id that git gives a content. */
export function blobId(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

function fileId(file: Buffer, { size }: Stats): string {
  const handle = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (size <= CHUNK) return blobId(readFileSync(handle));
    const hash = createHash("sha1").update(`blob ${size}\0`);
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let read = 0; (read = readSync(handle, chunk, 0, CHUNK, null)) > 0;) hash.update(chunk.subarray(0, read));
    return hash.digest("hex");
  } finally {
    closeSync(handle);
  }
}
