import { accessSync, constants, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WorkspaceError, workspaceError } from "../errors.ts";
import { git, type GitPlace } from "../git/git.ts";
import { bytesOf, fieldsOf } from "../git/trees.ts";
import type { Records } from "../records/records.ts";
import { mendRepository } from "./repository.ts";
import { type LeftOutReason, MAX_BYTES, MAX_FILE_BYTES, MAX_FILES, whyLeftOut } from "./left-out.ts";

/** The state of a workspace's files. */
export interface Captured {
  /** The object id of the tree in the shadow repository. */
  readonly tree: string;
  /** How many files this capture left out, by reason; those that were left out before and did not change are not counted. */
  readonly leftOut: ReadonlyMap<LeftOutReason, number>;
}

/** Paths that are judged before the event loop runs other work of the gateway. */
const PATHS_PER_SLICE = 500;
/** git reads new content and compresses it: the first capture of a large workspace takes its time. */
const FIRST_CAPTURE_MS = 180_000;
/** From this many files on git writes one pack instead of a file for each: a fifth of the time, a tenth of the disk. */
const MANY = 200;
const INTO_PACK = ["-c", "core.bigFileThreshold=1", "-c", "core.compression=1"];
/** Nested repositories that one capture looks into. */
const MAX_NESTED = 200;
/** The tree that the index stands for; without it the index may have changed since the last tree was written. */
const TREE = "tree";
const BYTES = "bytes";

/**
 * Captures the files of a workspace: one call of git when nothing has changed. Only the shadow repository is written to.
 * Rejects with a WorkspaceError as {@link git} does, and `unfit` for a workspace with too many files or bytes. The caller
 * holds the workspace's lock.
 */
export async function capture(place: GitPlace, records: Records): Promise<Captured> {
  try {
    return await captureOnce(place, records);
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== "git-failed") throw error;
    mendRepository(place);
    records.setFact(TREE, undefined);
    records.setFact(BYTES, undefined);
    return captureOnce(place, records);
  }
}

async function captureOnce(place: GitPlace, records: Records): Promise<Captured> {
  const known = records.fact(TREE);
  const listed = await git(place, ["ls-files", "-z", "-t", "-m", "-d", "-o", "--exclude-standard"]);
  const found = await judge(place, await withNested(place, fieldsOf(listed.output)));
  const { added, removed, leftOut } = found;
  if (known !== undefined && added.length === 0 && removed.length === 0) return { tree: known, leftOut };
  // Earlier versions of changed files count too, until the sum is too large and the present files are measured.
  const sum = Number(records.fact(BYTES) ?? 0) + found.bytes;
  const bytes = sum <= MAX_BYTES ? sum : found.bytes + (await presentBytes(place, new Set(added)));
  assertFits(entriesIn(place.index) + found.isNew, bytes);
  records.setFact(TREE, undefined);
  if (removed.length > 0)
    await git(place, ["update-index", "-z", "--index-info"], {
      input: joined(removed, (path) => `0 ${"0".repeat(40)}\t${path}`),
    });
  if (added.length > 0)
    await git(
      place,
      [...(added.length > MANY ? INTO_PACK : []), "update-index", "-z", "--add", "--remove", "--replace", "--stdin"],
      {
        input: joined(added, (path) => path),
        deadlineMs: FIRST_CAPTURE_MS,
      },
    );
  const { output } = await git(place, ["write-tree"]);
  const tree = output.toString("latin1").trim();
  records.transaction(() => {
    records.setFact(TREE, tree);
    records.setFact(BYTES, String(bytes));
  });
  return { tree, leftOut };
}

function joined(paths: readonly string[], line: (path: string) => string): Buffer {
  return bytesOf(paths.map((path) => `${line(path)}\0`).join(""));
}

function assertFits(files: number, bytes: number): void {
  if (files <= MAX_FILES && bytes <= MAX_BYTES) return;
  throw workspaceError("unfit", {
    expected: `a workspace of at most ${MAX_FILES} files and ${MAX_BYTES / 1024 / 1024} MiB`,
    found: files > MAX_FILES ? `${files} files` : `${Math.ceil(bytes / 1024 / 1024)} MiB`,
    todo: "Name what need not come back in a .gitignore. Until then moves go on without files.",
  });
}

/** The size of the files in the index, apart from some. */
async function presentBytes(place: GitPlace, except: ReadonlySet<string>): Promise<number> {
  const { output } = await git(place, ["ls-files", "-z"]);
  let [bytes, seen] = [0, 0];
  for (const path of fieldsOf(output)) {
    if (++seen % PATHS_PER_SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    if (except.has(path)) continue;
    try {
      bytes += lstatSync(absolute(place.workspace, path), { throwIfNoEntry: false })?.size ?? 0;
    } catch {
      // A file stands in the place of its folder.
    }
  }
  return bytes;
}

/** How many files the index has, by its header: the signature, the version, and the number. */
function entriesIn(index: string): number {
  try {
    return readFileSync(index).subarray(0, 12).readUInt32BE(8);
  } catch {
    return 0;
  }
}

/**
 * Adds the files of nested repositories, which git names by their folder only. Once one of their files is in the index,
 * git looks into the folder by itself.
 */
async function withNested(place: GitPlace, fields: readonly string[]): Promise<string[]> {
  const all: string[] = [];
  const nested: string[] = [];
  const sort = (field: string, prefix: string): void => {
    const path = prefix + field.slice(2);
    if (!path.endsWith("/")) all.push(field.slice(0, 2) + path);
    else if (nested.length < MAX_NESTED && whyLeftOut(`${path}file`) === undefined) nested.push(path);
  };
  for (const field of fields) sort(field, "");
  for (let at = 0; at < nested.length; at++) {
    const prefix = nested[at]!;
    const workTree = join(place.workspace, bytesOf(prefix).toString("utf8"));
    const { output } = await git(place, ["ls-files", "-z", "-t", "-o", "--exclude-standard"], {
      workTree,
      // No such file: every file of the nested repository is new to it.
      index: `${place.index}.none`,
    });
    for (const field of fieldsOf(output)) sort(field, prefix);
  }
  return all;
}

interface Judged {
  readonly added: string[];
  readonly removed: string[];
  /** Of the added paths, how many the index does not have. */
  readonly isNew: number;
  readonly bytes: number;
  readonly leftOut: Map<LeftOutReason, number>;
}

/** Decides which of the listed paths are captured, by their names and by what is there now. */
async function judge({ workspace }: GitPlace, fields: readonly string[]): Promise<Judged> {
  if (fields.length > 2 * MAX_FILES) assertFits(fields.length, 0);
  const [added, removed] = [new Set<string>(), new Set<string>()];
  const leftOut = new Map<LeftOutReason, number>();
  const folders = new Map<string, boolean>([["", true]]);
  let [isNew, bytes, seen] = [0, 0, 0];
  for (const field of fields) {
    if (++seen % PATHS_PER_SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    const [isKnown, path] = [field[0] !== "?", field.slice(2)];
    if (added.has(path) || removed.has(path)) continue;
    const named = whyLeftOut(path);
    const there = named === undefined ? statOf(workspace, path, folders) : { reason: named };
    if (typeof there === "object") {
      // A version that is known stays in earlier trees; what is left out now is not there for this one.
      if (isKnown) removed.add(path);
      if (there.reason !== "no file") leftOut.set(there.reason, (leftOut.get(there.reason) ?? 0) + 1);
      continue;
    }
    added.add(path);
    bytes += there;
    if (!isKnown) isNew++;
  }
  return { added: [...added], removed: [...removed], isNew, bytes, leftOut };
}

/** Returns the size of a file that can be captured, else the reason why not. */
function statOf(
  workspace: string,
  path: string,
  folders: Map<string, boolean>,
): number | { readonly reason: LeftOutReason } {
  // git itself would follow a link in the place of a folder.
  if (!isFolder(workspace, path.slice(0, Math.max(0, path.lastIndexOf("/"))), folders)) return { reason: "no file" };
  try {
    const at = absolute(workspace, path);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined || stat.isDirectory()) return { reason: "no file" };
    if (stat.isSymbolicLink()) return stat.size;
    // A pipe would never end.
    if (!stat.isFile()) return { reason: "unreadable" };
    if (stat.size > MAX_FILE_BYTES) return { reason: "too large" };
    accessSync(at, constants.R_OK);
    return stat.size;
  } catch {
    return { reason: "unreadable" };
  }
}

function isFolder(workspace: string, path: string, known: Map<string, boolean>): boolean {
  const missing: string[] = [];
  let at = path;
  while (!known.has(at)) {
    missing.push(at);
    at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
  }
  let is = known.get(at)!;
  for (const folder of missing.toReversed()) {
    is &&= lstatSync(absolute(workspace, folder), { throwIfNoEntry: false })?.isDirectory() ?? false;
    known.set(folder, is);
  }
  return is;
}

/** The path of a file as bytes, so that names that are no UTF-8 are found. */
export function absolute(workspace: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${workspace}/`), bytesOf(path)]);
}
