/** Git's tree objects, read and written without a process for each. */
import { createHash } from "node:crypto";
import { git, type GitPlace } from "./git.ts";
import { encodePath } from "./trees.ts";

/** One name in a tree object, in git's order; mode is that of the object, such as 100644, and 40000 for a tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
}

const TREE_MODE = "40000";
const OID_BYTES = 20;
const DEADLINE_MS = 300_000;

/** Whether an entry stands for a tree. */
export function isTree({ mode }: TreeEntry): boolean {
  return mode === TREE_MODE;
}

/** Reads the tree objects of these trees and all below, each once however many trees share it, by their object ids. */
export async function readTrees(
  place: GitPlace,
  trees: readonly string[],
): Promise<ReadonlyMap<string, readonly TreeEntry[]>> {
  const found = new Map<string, readonly TreeEntry[]>();
  for (let wanted = [...new Set(trees)]; wanted.length > 0;) {
    const input = wanted.map((oid) => `${oid}\n`).join("");
    const { output } = await git(place, ["cat-file", "--batch"], { input, deadlineMs: DEADLINE_MS });
    let at = 0;
    for (const oid of wanted) {
      const line = output.indexOf(0x0a, at);
      const size = Number(output.subarray(at, line).toString("latin1").split(" ")[2] ?? 0);
      found.set(oid, entriesIn(output.subarray(line + 1, line + 1 + size)));
      at = line + 1 + (Number.isNaN(size) ? 0 : size + 1);
    }
    const below = wanted.flatMap((oid) =>
      found
        .get(oid)!
        .filter(isTree)
        .map((entry) => entry.oid),
    );
    wanted = [...new Set(below)].filter((oid) => !found.has(oid));
  }
  return found;
}

function entriesIn(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(0, at);
    const [mode = "", ...name] = content.subarray(at, end).toString("latin1").split(" ");
    at = end + 1 + OID_BYTES;
    entries.push({ mode, name: name.join(" "), oid: content.subarray(end + 1, at).toString("hex") });
  }
  return entries;
}

/** The object id of a tree. */
export function treeId(entries: readonly TreeEntry[]): string {
  const content = Buffer.concat(
    entries.flatMap(({ mode, name, oid }) => [encodePath(`${mode} ${name}\0`), Buffer.from(oid, "hex")]),
  );
  return createHash("sha1").update(`tree ${content.length}\0`).update(content).digest("hex");
}

/** Stores tree objects. */
export async function storeTrees(place: GitPlace, trees: readonly (readonly TreeEntry[])[]): Promise<void> {
  if (trees.length === 0) return;
  const line = (entry: TreeEntry): string =>
    `${entry.mode.padStart(6, "0")} ${isTree(entry) ? "tree" : "blob"} ${entry.oid}\t${entry.name}\0`;
  // An empty line ends a tree.
  const input = encodePath(trees.map((entries) => `${entries.map(line).join("")}\0`).join(""));
  await git(place, ["mktree", "--batch", "-z", "--missing"], { input, deadlineMs: DEADLINE_MS });
}
