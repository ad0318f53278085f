import { rmSync } from "node:fs";
import { git, type GitPlace } from "./git.ts";
import { encodePath, type Change } from "./trees.ts";

/**
 * Writes the tree that the index becomes by these changes; `from` is what the index has before: what it has, nothing,
 * or a tree. Paths and object ids go through git's standard input, and git looks at no file.
 */
export async function writeTree(
  place: GitPlace,
  from: "as it is" | "empty" | { readonly tree: string },
  changes: readonly Pick<Change, "path" | "after">[],
): Promise<string> {
  if (from === "empty") rmSync(place.index, { force: true });
  else if (from !== "as it is") await git(place, ["read-tree", "--no-sparse-checkout", from.tree]);
  // Removals first: a file can stand where a folder was.
  const input = Buffer.concat([
    lines(changes.filter(({ after }) => after === undefined)),
    lines(changes.filter(({ after }) => after !== undefined)),
  ]);
  if (input.length > 0) await git(place, ["update-index", "-z", "--add", "--replace", "--index-info"], { input });
  return (await git(place, ["write-tree"])).output.toString("latin1").trim();
}

/** Returns the tree that another tree becomes by these changes; the index of the captures is not used. */
export async function changedTree(
  place: GitPlace,
  tree: string,
  changes: readonly Pick<Change, "path" | "after">[],
): Promise<string> {
  if (changes.length === 0) return tree;
  const index = `${place.index}.result`;
  try {
    rmSync(`${index}.lock`, { force: true });
    return await writeTree({ ...place, index }, { tree }, changes);
  } finally {
    rmSync(index, { force: true });
  }
}

function lines(changes: readonly Pick<Change, "path" | "after">[]): Buffer {
  return encodePath(
    changes.map(({ path, after }) => `${after?.mode ?? "0"} ${after?.oid ?? "0".repeat(40)}\t${path}\0`).join(""),
  );
}
