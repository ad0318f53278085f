import type { FileVersion } from "../git/trees.ts";

/**
 * A file as it was captured. A file whose `size`, `changed` and `inode` are the same has the same content. `oid` is
 * empty for one whose content may not be stored any more.
 */
export interface KnownFile extends FileVersion {
  readonly permissions: number;
  readonly size: number;
  /**
   * When content or permissions changed, in milliseconds; no program can set this time. 0 for a file that was written
   * in the moment of its capture: its next content may have the same time.
   */
  readonly changed: number;
  readonly inode: number;
}

/** The object id of a known file whose content has to be stored anew. */
export const NOT_STORED = "";

/** What is known of a folder: its files, and the folders in it, by their names. */
export interface KnownFolder {
  readonly files: Map<string, KnownFile>;
  readonly folders: Map<string, KnownFolder>;
  permissions: number | undefined;
}

/** New states of files, or permissions of folders, by their paths; undefined for what is gone. */
export type News<Value> = ReadonlyMap<string, Value | undefined>;

/** The files of a workspace as they were last captured. Names and paths are latin1 strings of their bytes. */
export class KnownFiles {
  readonly root = newFolder();
  #count = 0;
  #bytes = 0;

  /** How many files are known, and the sum of their sizes. */
  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(path: string): KnownFile | undefined {
    return this.#folder(parentFolder(path), false)?.files.get(nameIn(path));
  }

  /** Takes over what a capture has found. */
  update(files: News<KnownFile>, folders: News<number>): void {
    for (const [path, file] of files) this.#put(path, file);
    for (const [path, permissions] of folders) {
      const folder = this.#folder(path, permissions !== undefined);
      if (folder !== undefined) folder.permissions = permissions;
      if (permissions === undefined) this.#folder(parentFolder(path), false)?.folders.delete(nameIn(path));
    }
  }

  /** All files, with their paths. */
  *files(): Generator<[string, KnownFile]> {
    yield* filesIn(this.root, "");
  }

  #put(path: string, file: KnownFile | undefined): void {
    const folder = this.#folder(parentFolder(path), file !== undefined);
    const name = nameIn(path);
    const before = folder?.files.get(name);
    this.#bytes += (file?.size ?? 0) - (before?.size ?? 0);
    this.#count += Number(file !== undefined) - Number(before !== undefined);
    if (file === undefined) folder?.files.delete(name);
    else folder!.files.set(name, file);
  }

  #folder(path: string, makes: boolean): KnownFolder | undefined {
    let folder: KnownFolder | undefined = this.root;
    for (const name of path === "" ? [] : path.split("/")) {
      let next: KnownFolder | undefined = folder.folders.get(name);
      if (next === undefined && makes) folder.folders.set(name, (next = newFolder()));
      if (next === undefined) return undefined;
      folder = next;
    }
    return folder;
  }
}

/** All files below a known folder, with their paths; `prefix` is that of the folder, with a slash at its end. */
export function* filesIn(folder: KnownFolder, prefix: string): Generator<[string, KnownFile]> {
  for (const [path, one] of foldersIn(folder, prefix)) for (const [name, file] of one.files) yield [path + name, file];
}

/** A known folder and all below it, with their paths with a slash at the end. */
export function* foldersIn(folder: KnownFolder, prefix: string): Generator<[string, KnownFolder]> {
  const waiting: [string, KnownFolder][] = [[prefix, folder]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    for (const [name, below] of next[1].folders) waiting.push([`${next[0]}${name}/`, below]);
  }
}

/** The folder of a path; "" is the workspace. */
export function parentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function newFolder(): KnownFolder {
  return { files: new Map(), folders: new Map(), permissions: undefined };
}
