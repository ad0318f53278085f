import { rmSync } from "node:fs";
import { git, type GitPlace } from "../git/git.ts";
import { bytesOf, type Change } from "../git/trees.ts";

/** Returns the tree that another tree becomes by these changes; the index of the captures is not used. */
export async function resultTree(place: GitPlace, tree: string, changes: readonly Change[]): Promise<string> {
  if (changes.length === 0) return tree;
  const index = `${place.index}.result`;
  try {
    rmSync(`${index}.lock`, { force: true });
    await git(place, ["read-tree", "--no-sparse-checkout", tree], { index });
    // Removals first: a file can stand where a folder was.
    const input = Buffer.concat([
      lines(changes.filter(({ after }) => after === undefined)),
      lines(changes.filter(({ after }) => after !== undefined)),
    ]);
    await git(place, ["update-index", "-z", "--add", "--replace", "--index-info"], { index, input });
    return (await git(place, ["write-tree"], { index })).output.toString("latin1").trim();
  } finally {
    rmSync(index, { force: true });
  }
}

function lines(changes: readonly Change[]): Buffer {
  return bytesOf(
    changes.map(({ path, after }) => `${after?.mode ?? "0"} ${after?.oid ?? "0".repeat(40)}\t${path}\0`).join(""),
  );
}
