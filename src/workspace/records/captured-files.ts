import type { Connection } from "../../journal/index.ts";
import { type KnownFile, KnownFiles, type News, NOT_STORED } from "./known-files.ts";

interface FileRow {
  path: string;
  permissions: number;
  mode: string | null;
  oid: string | null;
  size: number | null;
  changed: number | null;
  inode: number | null;
}

/** The fact that the last capture's tree is. */
const TREE = "tree";

/** The part of the records that a capture compares the present files with. Every method throws a JournalError. */
export class CapturedFiles {
  readonly #connection: Connection;
  readonly #facts: Facts;
  #known: { readonly files: KnownFiles; readonly version: number } | undefined;

  constructor(connection: Connection, facts: Facts) {
    this.#connection = connection;
    this.#facts = facts;
  }

  /** The known files, whatever process has captured them; read anew only after another one has written. */
  known(): KnownFiles {
    const version = this.#connection.prepare("PRAGMA data_version").get<{ data_version: number }>()!.data_version;
    if (this.#known?.version === version) return this.#known.files;
    const [files, folders] = [new Map<string, KnownFile>(), new Map<string, number>()];
    for (const row of this.#connection.prepare("SELECT * FROM files WHERE gone_at IS NULL").all<FileRow>())
      if (row.path.endsWith("/")) folders.set(row.path.slice(0, -1), row.permissions);
      else
        files.set(row.path, {
          permissions: row.permissions,
          mode: row.mode!,
          oid: row.oid!,
          size: row.size!,
          changed: row.changed!,
          inode: row.inode!,
        });
    const known = new KnownFiles();
    known.update(files, folders);
    this.#known = { files: known, version };
    return known;
  }

  /** Records what a capture has found, and the tree; undefined is a file or a folder that is gone. */
  save(tree: string, files: News<KnownFile>, folders: News<number>): void {
    const write = this.#connection.prepare("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, NULL)");
    const end = this.#connection.prepare("UPDATE files SET gone_at = ? WHERE path = ?");
    this.#connection.transaction(() => {
      this.#facts.setFact(TREE, tree);
      for (const [path, file] of files)
        if (file === undefined) end.run(Date.now(), path);
        else write.run(path, file.permissions, file.mode, file.oid, file.size, file.changed, file.inode);
      for (const [path, permissions] of folders)
        if (permissions === undefined) end.run(Date.now(), `${path}/`);
        else write.run(`${path}/`, permissions, null, null, null, null, null);
    });
    this.#known?.files.update(files, folders);
  }

  /** The tree of the last capture; undefined when the index may stand for another one. */
  lastTree(): string | undefined {
    return this.#facts.fact(TREE);
  }

  /** Forgets which tree the index stands for; to be called before the index is changed. */
  forgetTree(): void {
    this.#facts.setFact(TREE, undefined);
  }

  /** The permissions that a file, or a folder whose path ends with a slash, had when it was last captured. */
  permissions(path: string): number | undefined {
    return this.#connection.prepare("SELECT permissions FROM files WHERE path = ?").get<{ permissions: number }>(path)
      ?.permissions;
  }

  /** Makes the next capture read and store every file again. They stay known, so that no .gitignore hides them then. */
  forgetContents(): void {
    this.forgetTree();
    this.#connection.prepare("UPDATE files SET oid = ?, changed = 0 WHERE oid IS NOT NULL").run(NOT_STORED);
    this.#known = undefined;
  }

  /** Forgets which files were captured, so that the next capture finds all of them new. Permissions are kept. */
  forgetAll(): void {
    this.forgetTree();
    this.#connection.prepare("UPDATE files SET gone_at = ? WHERE gone_at IS NULL").run(Date.now());
    this.#known = undefined;
  }

  /** Makes the next capture read a file again. */
  forgetContent(path: string): void {
    this.#connection.prepare("UPDATE files SET changed = 0 WHERE path = ?").run(path);
    this.#known = undefined;
  }
}

/** Single values of the records by their names. */
interface Facts {
  fact(name: string): string | undefined;
  setFact(name: string, value: string | undefined): void;
}
