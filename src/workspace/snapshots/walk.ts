import type { Stats } from "node:fs";
import { blobId, gitMode } from "../git/trees.ts";
import { workspaceError } from "../errors.ts";
import type { FolderEntry, FolderHandle } from "../handles/folder-handle.ts";
import { MAX_ALL_IGNORE_BYTES, MAX_IGNORE_BYTES, IgnoreRules } from "../ignore/rules.ts";
import type { Work } from "../ignore/wildcard.ts";
import { foldersIn, type KnownFile, type KnownFiles, type KnownFolder } from "../records/known-files.ts";
import { type LeftOutReason, MAX_BYTES, MAX_FILE_BYTES, MAX_FILES, whyLeftOut } from "./left-out.ts";

/** Names, and bytes that are read, before the event loop runs other work of the gateway. */
const NAMES_PER_SLICE = 500;
const BYTES_PER_SLICE = 4 * 1024 * 1024;
/** Names that one capture looks at; of what is beyond, known files only. */
const MAX_NAMES = 4 * MAX_FILES;
/** Folders below each other: each is held open while those in it are walked. */
const MAX_DEPTH = 128;
/** The longest path, in bytes: every path of 50,000 files is kept in memory, and listed by git. */
const MAX_PATH = 1024;
/** Comparisons with ignore rules: a second of them in a capture, some milliseconds of one name. */
const MAX_COMPARISONS = 100_000_000;
const MAX_COMPARISONS_OF_NAME = 1_000_000;
/** How many comparisons with patterns cost what a name costs otherwise. */
const COMPARISONS_PER_NAME = 4000;
/** A file that was written just before its capture may be written again at the same time of a coarse clock. */
const SAME_MOMENT_MS = 100;
/** What keeps a file or a folder from being read, and is its own affair. EAGAIN: a program has a lease on the file. */
const OWN_TROUBLE = new Set("EACCES EPERM ENOENT ELOOP ENOTDIR ESTALE ENAMETOOLONG ENXIO EAGAIN".split(" "));

/** How a walk is bounded. */
export interface WalkOptions {
  readonly root: FolderHandle;
  readonly known: KnownFiles;
  /** Paths below which something else is mounted. */
  readonly mounts: ReadonlySet<string>;
  /** When the walk is given up, by `performance.now()`. */
  readonly deadline: number;
  /** Looks at names and sizes only. */
  readonly countsOnly?: boolean | undefined;
}

interface Frame {
  readonly folder: FolderHandle;
  /** Names of the folders on the way; their path with a slash at its end. */
  readonly names: readonly string[];
  readonly prefix: string;
  readonly rules: IgnoreRules | undefined;
  /** Only known files are looked at. */
  readonly isIgnored: boolean;
  readonly known: KnownFolder | undefined;
  readonly left: FolderEntry[];
  /** The known files and folders that are there. */
  readonly there: Set<string>;
}

/**
 * A walk over the files of a workspace, by handles of its folders. What has changed against the known files is read and
 * handed out; what was found is complete when the walk has ended. Known files are found whatever ignore rules say,
 * however many other files there are: nothing that an agent writes hides what it does to them.
 */
export class Walk {
  /** Files with a new state; undefined for those that are gone. */
  readonly files = new Map<string, KnownFile | undefined>();
  /** Permissions of folders that are new or have changed; undefined for those that are gone. */
  readonly folders = new Map<string, number | undefined>();
  readonly leftOut = new Map<LeftOutReason, number>();
  /** All present files. */
  count = 0;
  bytes = 0;
  readonly #options: WalkOptions;
  readonly #device: number;
  /** What is left of each limit of the whole walk. */
  #comparisons = MAX_COMPARISONS;
  #newFiles: number;
  #newBytes: number;
  #ignoreBytes = MAX_ALL_IGNORE_BYTES;
  #names = MAX_NAMES;
  /** What is left until the next pause, in which others get their turn. */
  #slice = NAMES_PER_SLICE;
  #sliceBytes = BYTES_PER_SLICE;

  constructor(options: WalkOptions) {
    const { root, known, countsOnly = false } = options;
    this.#options = options;
    this.#device = root.ownStat().dev;
    this.#newFiles = countsOnly ? Infinity : MAX_FILES - known.count;
    this.#newBytes = countsOnly ? Infinity : MAX_BYTES - known.bytes;
  }

  /** Walks, and yields each content that is not known. Throws `timeout`, and what the file system throws. */
  async *contents(): AsyncGenerator<Buffer> {
    const { root, known } = this.#options;
    const stack: Frame[] = [];
    try {
      const first = this.#enter(root, [], undefined, false, known.root);
      if (first !== undefined) stack.push(first);
      for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
        if (--this.#slice < 0 || this.#sliceBytes < 0) await this.#pause();
        const entry = frame.left.pop();
        if (entry === undefined) {
          stack.pop();
          this.#leave(frame);
          if (frame.folder !== root) frame.folder.close();
        } else if (entry.kind === "folder") {
          const next = this.#descend(frame, entry.name);
          if (next !== undefined) stack.push(next);
        } else {
          const content = this.#look(frame, entry.name);
          if (content !== undefined) yield content;
        }
      }
    } finally {
      for (const { folder } of stack) if (folder !== root) folder.close();
    }
  }

  async #pause(): Promise<void> {
    this.#slice = NAMES_PER_SLICE;
    this.#sliceBytes = BYTES_PER_SLICE;
    await new Promise((resolve) => setImmediate(resolve));
    if (performance.now() < this.#options.deadline) return;
    throw workspaceError("timeout", {
      expected: "the files of the workspace to be captured in time",
      found: "more work than that; it was ended",
      todo:
        "The work goes on without the files. Look whether the disk hangs, " +
        "or name what need not come back in a .gitignore.",
    });
  }

  /** Lists an open folder. */
  #enter(
    folder: FolderHandle,
    names: readonly string[],
    above: IgnoreRules | undefined,
    isIgnored: boolean,
    known: KnownFolder | undefined,
  ): Frame | undefined {
    const stat = folder.ownStat();
    if (stat.dev !== this.#device) return this.#leaveOut("another file system");
    const left = isIgnored ? [] : tolerantly(() => folder.entries(Math.max(0, this.#names)));
    if (left === undefined) return this.#leaveOut("unreadable");
    this.#names -= left.length;
    if (known !== undefined && (isIgnored || this.#names <= 0)) {
      const listed = new Set(left.map(({ name }) => name));
      for (const name of known.folders.keys()) if (!listed.has(name)) left.push({ name, kind: "folder" });
      for (const name of known.files.keys()) if (!listed.has(name)) left.push({ name, kind: "file" });
    }
    const permissions = stat.mode & 0o777;
    if (names.length > 0 && known?.permissions !== permissions) this.folders.set(names.join("/"), permissions);
    const hasRules = left.some(({ name, kind }) => name === ".gitignore" && kind === "file");
    const rules = hasRules ? this.#rulesIn(folder, names.length, above) : above;
    const prefix = names.length === 0 ? "" : `${names.join("/")}/`;
    return { folder, names, prefix, rules, isIgnored, known, left, there: new Set() };
  }

  /** Finds out what of a folder is gone. */
  #leave({ known, there, prefix }: Frame): void {
    if (known === undefined || there.size === known.files.size + known.folders.size) return;
    for (const name of known.files.keys()) if (!there.has(name)) this.files.set(prefix + name, undefined);
    for (const [name, folder] of known.folders)
      if (!there.has(name))
        for (const [path, gone] of foldersIn(folder, `${prefix}${name}/`)) {
          this.folders.set(path.slice(0, -1), undefined);
          for (const file of gone.files.keys()) this.files.set(path + file, undefined);
        }
  }

  #rulesIn(folder: FolderHandle, depth: number, above: IgnoreRules | undefined): IgnoreRules | undefined {
    const read = tolerantly(() => folder.read(".gitignore", Math.min(MAX_IGNORE_BYTES, this.#ignoreBytes)));
    if (read === undefined || read === "changing") return above;
    this.#ignoreBytes -= read.content.length;
    return new IgnoreRules(read.content.toString("latin1"), depth, above);
  }

  #descend(frame: Frame, name: string): Frame | undefined {
    const known = frame.known?.folders.get(name);
    const reason = this.#options.mounts.has(frame.prefix + name) ? "another file system" : whyLeftOut(name, true);
    if (reason !== undefined) return this.#leaveOut(reason);
    const names = [...frame.names, name];
    const isIgnored = frame.isIgnored || this.#matches(frame.rules, names, true);
    if (isIgnored && known === undefined) return undefined;
    if (names.length > MAX_DEPTH || frame.prefix.length + name.length > MAX_PATH) return this.#leaveOut("too deep");
    const folder = tolerantly(() => frame.folder.folder(name));
    if (folder === undefined) return undefined;
    const next = this.#enter(folder, names, frame.rules, isIgnored, known);
    if (next === undefined) folder.close();
    else if (known !== undefined) frame.there.add(name);
    return next;
  }

  /** Compares a file or a link with what is known of it; its content when that is not known. */
  #look(frame: Frame, name: string): Buffer | undefined {
    const known = frame.known?.files.get(name);
    const named = whyLeftOut(name, false);
    if (named !== undefined) return this.#leaveOut(named);
    if (known === undefined && this.#isIgnored(frame, name)) return undefined;
    if (this.#options.mounts.size > 0 && this.#options.mounts.has(frame.prefix + name))
      return this.#leaveOut("another file system");
    const stat = tolerantly(() => frame.folder.stat(name));
    if (stat === undefined || stat.isDirectory()) return undefined;
    if (known?.size === stat.size && known.changed === stat.ctimeMs && known.inode === stat.ino) {
      this.#isThere(frame, name, known, stat.size);
      return undefined;
    }
    if (stat.dev !== this.#device) return this.#leaveOut("another file system");
    // git has no link of this name in a tree.
    const isLeftLink = stat.isSymbolicLink() && name.toLowerCase() === ".gitmodules";
    if (isLeftLink || (!stat.isFile() && !stat.isSymbolicLink())) return this.#leaveOut("no regular file");
    if (frame.prefix.length + name.length > MAX_PATH) return this.#leaveOut("too deep");
    if (stat.size > MAX_FILE_BYTES) return this.#leaveOut("too large");
    return this.#take(frame, name, known, stat);
  }

  #isIgnored({ rules, names, isIgnored }: Frame, name: string): boolean {
    // A file of rules that names itself could not be taken back.
    return isIgnored || (name !== ".gitignore" && this.#matches(rules, [...names, name], false));
  }

  #matches(rules: IgnoreRules | undefined, path: readonly string[], isFolder: boolean): boolean {
    if (rules === undefined) return false;
    const most = Math.min(MAX_COMPARISONS_OF_NAME, this.#comparisons);
    const work: Work = { left: most };
    const isIgnored = rules.ignores(path, isFolder, work);
    this.#comparisons -= most - work.left;
    this.#slice -= Math.floor((most - work.left) / COMPARISONS_PER_NAME);
    return isIgnored;
  }

  /**
   * Reads what is new. A known file that is being written keeps its last version. A known file that has grown beyond a
   * limit counts as gone, so that the change can be taken back.
   */
  #take(frame: Frame, name: string, known: KnownFile | undefined, stat: Stats): Buffer | undefined {
    const more = { files: known === undefined ? 1 : 0, bytes: stat.size - (known?.size ?? 0) };
    const fits = this.#newFiles >= more.files && this.#newBytes + (known === undefined ? 0 : MAX_BYTES) >= more.bytes;
    if (this.#options.countsOnly === true || !fits) {
      if (fits || known === undefined) this.#isThere(frame, name, known, stat.size);
      return fits ? undefined : this.#leaveOut("too many");
    }
    const now = Date.now();
    const read = tolerantly(() => frame.folder.read(name, MAX_FILE_BYTES));
    if (read === undefined) return this.#leaveOut("unreadable");
    this.#isThere(frame, name, known, stat.size);
    // What was read in vain has cost as much.
    this.#newFiles -= more.files;
    this.#newBytes -= more.bytes;
    this.#sliceBytes -= stat.size;
    if (read === "changing") return this.#leaveOut("being written");
    const { size, ctimeMs, ino, mode } = read.stat;
    const oid = blobId(read.content);
    this.files.set(frame.prefix + name, {
      oid,
      mode: gitMode(read),
      permissions: mode & 0o777,
      size,
      changed: Math.abs(now - ctimeMs) < SAME_MOMENT_MS ? 0 : ctimeMs,
      inode: ino,
    });
    return oid === known?.oid ? undefined : read.content;
  }

  #isThere({ there }: Frame, name: string, known: KnownFile | undefined, size: number): void {
    if (known !== undefined) there.add(name);
    this.count++;
    this.bytes += size;
  }

  #leaveOut(reason: LeftOutReason): undefined {
    this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + 1);
  }
}

/** Undefined for what is not there or may not be read. */
function tolerantly<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (OWN_TROUBLE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
