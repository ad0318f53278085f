import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fchmodSync,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  opendirSync,
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
import { promisify } from "node:util";
import { encodePath } from "../git/trees.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/**
 * Linux's flag for a handle that does nothing to what it stands for: a pipe or a device is not opened. Node has no name
 * for it.
 */
const O_PATH = 0o10000000;
/** Where Linux shows the open files of the process; a path below a folder's handle leads into that very folder. */
const HANDLES = "/proc/self/fd";
const flushed = promisify(fsync);
const NOT_ASCII = /[^\0-\x7f]/;
const PERMISSIONS = 0o777;
/** How often a file is read again that somebody writes in meanwhile. */
const MAX_READS = 3;

/** Whether this system can work below an open folder, whatever is put in the place of its path. */
export function hasFolderHandles(): boolean {
  return process.platform === "linux" && existsSync(HANDLES);
}

/** What is known of a file by looking at it: sizes in bytes, times in milliseconds. */
export type FileStat = Pick<Stats, "size" | "ctimeMs" | "birthtimeMs" | "ino" | "dev" | "mode">;

/** A name in a folder, with the kind of what it stands for. Names are latin1 strings of their bytes. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** The content of a regular file or the text of a link, and its state after the last byte was read. */
export interface FileContent {
  readonly stat: FileStat;
  readonly isLink: boolean;
  readonly content: Buffer;
}

/**
 * An open folder. Every name is looked up in that very folder by its handle, and no link is followed: whatever somebody
 * puts in the place of the folder or of the name meanwhile, nothing elsewhere is read or changed. All methods throw
 * what the file system throws. The holder closes it.
 */
export class FolderHandle {
  readonly #handle: number;

  /** Opens a folder by its path; ELOOP or ENOTDIR for a link and a file. */
  constructor(path: string | Buffer) {
    this.#handle = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  }

  /**
   * Opens a folder in this one; undefined when there is nothing of that name, ELOOP or ENOTDIR for a link and a file.
   */
  folder(name: string): FolderHandle | undefined {
    return unless("ENOENT", () => new FolderHandle(this.#at(name)));
  }

  /** Makes a folder with these permissions and opens it. */
  makeFolder(name: string, permissions: number): FolderHandle {
    mkdirSync(this.#at(name), 0o700);
    const made = new FolderHandle(this.#at(name));
    fchmodSync(made.#handle, permissions & PERMISSIONS);
    return made;
  }

  /** The names in the folder, at most `most`. */
  entries(most = Infinity): FolderEntry[] {
    const folder = opendirSync(`${HANDLES}/${this.#handle}`, { encoding: "latin1" as BufferEncoding });
    try {
      const found: FolderEntry[] = [];
      for (let entry: Dirent | null; found.length < most && (entry = folder.readSync()) !== null;)
        found.push({ name: entry.name, kind: entryKind(entry) });
      return found;
    } finally {
      folder.closeSync();
    }
  }

  /** What stands at a name, itself and not where it leads; undefined for nothing. */
  stat(name: string): Stats | undefined {
    return lstatSync(this.#at(name), { throwIfNoEntry: false });
  }

  /** The state of the folder itself. */
  ownStat(): Stats {
    return fstatSync(this.#handle);
  }

  /**
   * Reads a regular file of at most `most` bytes, from one handle, or a link. `changing` when somebody writes in it or
   * exchanges it all the time, undefined when no such file is there. Throws EACCES for one that cannot be read.
   */
  read(name: string, most: number): FileContent | "changing" | undefined {
    const found = unless("ENOENT", () => openSync(this.#at(name), O_PATH | O_NOFOLLOW));
    if (found === undefined) return undefined;
    try {
      const stat = fstatSync(found);
      if (stat.isSymbolicLink()) return this.#readLink(name, stat);
      if (!stat.isFile()) return undefined;
      // By its handle the same file is opened again, for reading.
      const handle = openSync(`${HANDLES}/${found}`, O_RDONLY | O_NONBLOCK);
      try {
        return readWhole(handle, most);
      } finally {
        closeSync(handle);
      }
    } finally {
      closeSync(found);
    }
  }

  /** Reads a link, which has no handle: where another one was read, the inode shows it, and this is `changing`. */
  #readLink(name: string, stat: Stats): FileContent | "changing" {
    const content = unless("EINVAL", () =>
      unless("ENOENT", () => readlinkSync(this.#at(name), { encoding: "buffer" })),
    );
    const now = this.stat(name);
    return content === undefined || now?.ino !== stat.ino || now.ctimeMs !== stat.ctimeMs
      ? "changing"
      : { stat, isLink: true, content };
  }

  /** Writes a new file, flushed to the disk. Rejects with EEXIST when there is something of that name. */
  async create(name: string, content: Uint8Array, permissions: number): Promise<FileStat> {
    const handle = openSync(this.#at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      for (let at = 0; at < content.length;) at += writeSync(handle, content, at);
      fchmodSync(handle, permissions & PERMISSIONS);
      await flushed(handle);
      return fstatSync(handle);
    } finally {
      closeSync(handle);
    }
  }

  /** Makes a link with this text. */
  link(name: string, text: Uint8Array): FileStat {
    symlinkSync(Buffer.from(text), this.#at(name));
    return lstatSync(this.#at(name));
  }

  /**
   * Sets the permissions of a file in this state; false when it has changed, or there is another one, or a link, or
   * nothing.
   */
  setPermissions(name: string, { ino, ctimeMs }: FileStat, permissions: number): boolean {
    const handle = unless("ENOENT", () =>
      unless("ELOOP", () => openSync(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)),
    );
    if (handle === undefined) return false;
    try {
      const stat = fstatSync(handle);
      if (stat.ino !== ino || stat.ctimeMs !== ctimeMs) return false;
      fchmodSync(handle, permissions & PERMISSIONS);
      return true;
    } finally {
      closeSync(handle);
    }
  }

  /** Moves a file or a link to a name in a folder, in the place of a file that is there. */
  rename(name: string, folder: FolderHandle, newName: string): void {
    renameSync(this.#at(name), folder.#at(newName));
  }

  /** Removes a file or a link. */
  remove(name: string): void {
    unlinkSync(this.#at(name));
  }

  /** Removes a folder that is empty. */
  removeFolder(name: string): void {
    rmdirSync(this.#at(name));
  }

  /** Whether a file can be moved from here to there by a rename: one file system, mounted once. */
  isMountedWith(other: FolderHandle): boolean {
    return this.ownStat().dev === other.ownStat().dev && mountId(this.#handle) === mountId(other.#handle);
  }

  close(): void {
    closeSync(this.#handle);
  }

  #at(name: string): string | Buffer {
    // Only single names keep to this folder.
    if (name === "" || name === "." || name === ".." || name.includes("/"))
      throw Object.assign(new Error("a name of a file in a folder"), { code: "EINVAL" });
    const path = `${HANDLES}/${this.#handle}/${name}`;
    return NOT_ASCII.test(name) ? encodePath(path) : path;
  }
}

function entryKind(entry: Dirent): FolderEntry["kind"] {
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other";
}

/** The id of the mount that a handle is on. */
function mountId(handle: number): string | undefined {
  return /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${handle}`, "latin1"))?.[1];
}

function readWhole(handle: number, most: number): FileContent | "changing" | undefined {
  for (let reads = 1; reads <= MAX_READS; reads++) {
    const before = fstatSync(handle);
    if (before.size > most) return undefined;
    // One byte more shows that the file has grown.
    const buffer = Buffer.allocUnsafe(before.size + 1);
    let length = 0;
    for (let read: number; length < buffer.length; length += read)
      if ((read = readSync(handle, buffer, length, buffer.length - length, length)) === 0) break;
    const after = fstatSync(handle);
    if (length === before.size && after.size === before.size && after.ctimeMs === before.ctimeMs)
      return { stat: after, isLink: false, content: buffer.subarray(0, length) };
  }
  return "changing";
}

function unless<Value>(code: string, work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined;
    throw error;
  }
}
