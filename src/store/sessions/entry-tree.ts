import { TranscriptTree } from "./transcript-tree.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/** The tree of a transcript's entries. */
export interface EntryTree {
  /** From the first entry to the leaf. */
  readonly path: readonly JsonObject[];
  /** Children of an entry (null: the first entries), in the order in which they were written. */
  behind(id: string | null): readonly JsonObject[];
  /** From the first entry to this one. */
  pathTo(id: string): readonly JsonObject[];
  /** An abandoned branch from `first` on: at each fork the child whose subtree was written to last. */
  lineFrom(first: JsonObject): readonly JsonObject[];
  has(id: string): boolean;
  /** Parent of an entry; null for a first one. Throws for an id that is not in the tree. */
  parentId(id: string): string | null;
}

/**
 * Builds the tree of a transcript's rows as OpenClaw does. Without recursion, because a transcript may be a hundred
 * thousand entries deep.
 */
export function buildTree(rows: readonly unknown[]): EntryTree {
  const tree = new TranscriptTree();
  for (const [at, row] of rows.entries()) tree.add(row, at, 0);
  const entryAt = ({ at }: { at: number }): JsonObject => rows[at] as JsonObject;
  const parents = parentsIn(tree, rows);
  const children = new Map<string | null, JsonObject[]>();
  const lastWritten = new Map<string, number>();
  const order = new Map<string, number>();
  for (const [at, row] of rows.entries())
    if (isObject(row) && parents.has(row.id as string)) order.set(row.id as string, at);
  for (const [id, at] of order) {
    const parent = parents.get(id)!;
    const siblings = children.get(parent);
    if (siblings) siblings.push(rows[at] as JsonObject);
    else children.set(parent, [rows[at] as JsonObject]);
  }
  // A row is written after its parent, so in reverse order every child is done before its parent.
  for (const [id, at] of [...order].toReversed()) {
    const last = Math.max(at, lastWritten.get(id) ?? 0);
    lastWritten.set(id, last);
    const parent = parents.get(id)!;
    if (parent !== null) lastWritten.set(parent, Math.max(last, lastWritten.get(parent) ?? 0));
  }
  const behind = (id: string | null): readonly JsonObject[] => children.get(id) ?? [];
  return {
    path: tree.path().map(entryAt),
    behind,
    pathTo: (id) => tree.path(id).map(entryAt),
    lineFrom(first) {
      const line = [first];
      for (let next = behind(first.id as string); next.length > 0; next = behind(line.at(-1)!.id as string)) {
        line.push(
          next.reduce((one, other) =>
            lastWritten.get(other.id as string)! > lastWritten.get(one.id as string)! ? other : one,
          ),
        );
      }
      return line;
    },
    has: (id) => tree.place(id) !== undefined,
    parentId(id) {
      const parent = parents.get(id);
      if (parent === undefined) throw new Error(`expected an entry of the tree; found ${id}`);
      return parent;
    },
  };
}

/** The parent of each entry; OpenClaw's own records between two entries are skipped. A cycle is broken. */
function parentsIn(tree: TranscriptTree, rows: readonly unknown[]): Map<string, string | null> {
  const parents = new Map<string, string | null>();
  for (const row of rows.toReversed()) {
    if (!isObject(row) || typeof row.id !== "string" || !tree.place(row.id)) continue;
    const way: string[] = [];
    const seen = new Set<string>();
    let at: string | null = row.id;
    for (; at !== null && !parents.has(at) && !seen.has(at); at = tree.parentId(at)) {
      seen.add(at);
      way.push(at);
    }
    // The ancestors of an entry do not depend on where the walk began.
    const end = at !== null && seen.has(at) ? null : at;
    way.forEach((id, step) => parents.set(id, way[step + 1] ?? end));
  }
  return parents;
}
