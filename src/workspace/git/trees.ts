/** Versions of files in trees of git, their differences and contents. */
import { createHash } from "node:crypto";
import { git, type GitPlace } from "./git.ts";

/** A file as a tree has it. Mode is git's: 100644, 100755 (executable), 120000 (symbolic link). */
export interface FileVersion {
  readonly mode: string;
  readonly oid: string;
}

/** Undefined is "no such file". */
export type Version = FileVersion | undefined;

/**
 * A path that two trees have in different versions. Paths are latin1 strings of git's bytes: see {@link encodePath}.
 */
export interface Change {
  readonly path: string;
  readonly before: Version;
  readonly after: Version;
}

/** Whether two versions are the same content with the same mode. */
export function sameVersion(one: Version, other: Version): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode;
}

/**
 * Returns the bytes of a path. Names of files are bytes: a path is kept as a string with one character for each byte,
 * so that a name that is no UTF-8 stays exact.
 */
export function encodePath(path: string): Buffer {
  return Buffer.from(path, "latin1");
}

/** A path in words for people and models. */
export function shownPath(path: string): string {
  return encodePath(path).toString("utf8");
}

/** Splits the output of git's `-z` options. */
function splitFields(output: Buffer): string[] {
  const fields = output.toString("latin1").split("\0");
  fields.pop();
  return fields;
}

/** Returns all files of a tree. */
export async function listTreeFiles(place: GitPlace, tree: string): Promise<Map<string, FileVersion>> {
  const { output } = await git(place, ["ls-tree", "-r", "-z", "--full-tree", tree]);
  const files = new Map<string, FileVersion>();
  for (const field of splitFields(output)) {
    const tab = field.indexOf("\t");
    const [mode, , oid] = field.slice(0, tab).split(" ");
    files.set(field.slice(tab + 1), { mode: mode!, oid: oid! });
  }
  return files;
}

/** Returns the changes between the trees of each pair, in the order of the pairs. */
export async function diffTrees(place: GitPlace, pairs: readonly (readonly [string, string])[]): Promise<Change[][]> {
  const asked = pairs.filter(([before, after]) => before !== after);
  const found = new Map<string, Change[]>();
  if (asked.length > 0) {
    const input = [...new Set(asked.map(([before, after]) => `${before} ${after}\n`))].join("");
    const { output } = await git(place, ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--stdin"], {
      input,
    });
    readRaw(splitFields(output), found);
  }
  return pairs.map(([before, after]) => (before === after ? [] : (found.get(`${before} ${after}`) ?? [])));
}

/** Reads `diff-tree --stdin -z --raw`: a line with the pair, then two fields for each change. */
function readRaw(fields: readonly string[], found: Map<string, Change[]>): void {
  let changes: Change[] = [];
  for (let at = 0; at < fields.length; at++) {
    let field = fields[at]!;
    const line = field.indexOf("\n");
    // The pair ends with a newline and not with NUL; no other field begins with an object id.
    if (line >= 0 && !field.startsWith(":")) {
      found.set(field.slice(0, line), (changes = []));
      field = field.slice(line + 1);
      if (field === "") continue;
    }
    const [oldMode, newMode, oldOid, newOid] = field.slice(1).split(" ");
    const path = fields[++at];
    if (path === undefined) return;
    changes.push({ path, before: toVersion(oldMode!, oldOid!), after: toVersion(newMode!, newOid!) });
  }
}

function toVersion(mode: string, oid: string): Version {
  return mode === "000000" ? undefined : { mode, oid };
}

/** Reads the content of blobs, each handed to `use` before the next one is read. */
export async function readBlob(place: GitPlace, oid: string): Promise<Buffer> {
  return (await git(place, ["cat-file", "blob", oid])).output;
}

/** The object id that git gives a content. */
export function blobId(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** The mode that git gives a link. */
export const LINK = "120000";

/** The mode that git gives a file of these permissions, or a link. */
export function gitMode({
  stat,
  isLink,
}: {
  readonly stat: { readonly mode: number };
  readonly isLink: boolean;
}): string {
  if (isLink) return LINK;
  return stat.mode & 0o100 ? "100755" : "100644";
}

/** Stores a content; returns its object id. */
export async function storeContent(place: GitPlace, content: Uint8Array): Promise<string> {
  const { output } = await git(place, ["hash-object", "-w", "--stdin", "--no-filters"], { input: content });
  return output.toString("latin1").trim();
}
