import { blobId, gitMode, LINK, type FileVersion, type Version } from "../git/trees.ts";
import type { FileStat, FolderHandle } from "../handles/folder-handle.ts";
import { parentFolder } from "../records/known-files.ts";
import { MAX_FILE_BYTES } from "../snapshots/left-out.ts";

const EXECUTABLE = 0o111;
const READABLE = 0o444;
/** The mode of a file or a folder whose permissions were never captured. */
const PRIVATE = 0o700;

/** A folder on the way to a file is a link or a file: nothing is read or written through it. */
export class BlockedPathError extends Error {
  override readonly name = "BlockedPathError";
  readonly path: string;

  constructor(path: string, cause?: unknown) {
    super("a folder on the way is a link or a file", { cause });
    this.path = path;
  }
}

/** A file that is staged in a folder, to be moved to its place. */
export interface Staged {
  readonly folder: FolderHandle;
  readonly name: string;
  readonly stat: FileStat;
  readonly version: FileVersion;
}

/** The permissions that a file, or a folder whose path ends with a slash, had when it was last captured. */
export type KnownPermissions = (path: string) => number | undefined;

/**
 * The files below a workspace, by paths. Each folder on the way to a file is opened from the handle of the one above,
 * without following links: nothing outside of the workspace is reached, whatever is put in its place meanwhile.
 */
export class Beneath {
  readonly #root: FolderHandle;
  readonly #permissions: KnownPermissions;

  constructor(root: FolderHandle, permissions: KnownPermissions) {
    this.#root = root;
    this.#permissions = permissions;
  }

  /** What stands at a path: undefined for nothing or a folder. Throws a {@link BlockedPathError}. */
  version(path: string): Version {
    return this.#in(path, false, (folder, name): Version => {
      const stat = folder?.stat(name);
      if (folder === undefined || stat === undefined || stat.isDirectory()) return undefined;
      const read = folder.read(name, MAX_FILE_BYTES);
      // A pipe, a device, a file that is too large or is being written: nothing that a snapshot has.
      if (read === undefined || read === "changing") return { mode: "none", oid: "" };
      return { mode: gitMode(read), oid: blobId(read.content) };
    });
  }

  /** Removes a file or a link, and the folders that are empty without it. */
  remove(path: string): void {
    this.#in(path, false, (folder, name) => folder?.remove(name));
    for (let at = parentFolder(path); at !== ""; at = parentFolder(at)) {
      try {
        this.#in(at, false, (folder, name) => folder?.removeFolder(name));
      } catch {
        return;
      }
    }
  }

  /**
   * Moves a staged file to a path, in the place of the file or the empty folder there; makes missing folders. A file
   * that is replaced leaves its permissions, others have those that were last captured at the path. Returns false when
   * somebody has exchanged the staged file: the path may have that one then.
   */
  place({ folder: from, name: staged, stat, version }: Staged, path: string): boolean {
    return this.#in(path, true, (folder, name) => {
      if (folder === undefined) throw new BlockedPathError(path);
      const present = folder.stat(name);
      if (present?.isDirectory() === true) folder.removeFolder(name);
      if (version.mode !== LINK) {
        const kept = present?.isFile() === true ? present.mode : (this.#permissions(path) ?? PRIVATE);
        const permissions = kept & 0o777 & ~EXECUTABLE;
        const executable = version.mode === "100755" ? ((kept & READABLE) >> 2) | 0o100 : 0;
        if (!from.setPermissions(staged, stat, permissions | executable)) return false;
      }
      from.rename(staged, folder, name);
      const placed = folder.stat(name);
      // The inode alone may be that of a file which was made when the staged one was deleted.
      return placed?.ino === stat.ino && placed.birthtimeMs === stat.birthtimeMs;
    });
  }

  /** Runs `use` in the folder of a path, by handle; without one when it is missing and `makes` is false. */
  #in<Value>(path: string, makes: boolean, use: (folder: FolderHandle | undefined, name: string) => Value): Value {
    const names = path.split("/");
    const name = names.pop()!;
    let folder = this.#root;
    try {
      for (const [at, part] of names.entries()) {
        const next = this.#next(folder, part, `${names.slice(0, at + 1).join("/")}/`, makes);
        if (next === undefined) return use(undefined, name);
        if (folder !== this.#root) folder.close();
        folder = next;
      }
      return use(folder, name);
    } finally {
      if (folder !== this.#root) folder.close();
    }
  }

  #next(folder: FolderHandle, name: string, path: string, makes: boolean): FolderHandle | undefined {
    try {
      const next = folder.folder(name);
      if (next !== undefined || !makes) return next;
      return folder.makeFolder(name, (this.#permissions(path) ?? PRIVATE) | 0o300);
    } catch (error) {
      // EEXIST: somebody has put something there since it was missing.
      if (["ELOOP", "ENOTDIR", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? ""))
        throw new BlockedPathError(path.slice(0, -1), error);
      throw error;
    }
  }
}
