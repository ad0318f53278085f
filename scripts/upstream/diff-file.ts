import { applyPatch, parsePatch, type StructuredPatch } from "diff";

/** One file of a diff. */
export interface FileChange {
  readonly path: string;
  readonly isNew: boolean;
  /** Added and removed lines. */
  readonly changedLines: number;
  /** The longest run of lines of theirs that stand before, between or behind the changes of a hunk. */
  readonly longestContext: number;
  readonly patch: StructuredPatch;
}

/** Reads a unified git diff; throws when it is none or when a hunk's numbers do not fit its lines. */
export function parseDiff(text: string): readonly FileChange[] {
  const changes = parsePatch(text).filter((patch) => patch.hunks.length > 0);
  if (changes.length === 0) throw new Error("change.diff: expected a unified diff with at least one hunk; found none.");
  return changes.map((patch) => {
    const path = withoutPrefix(patch.newFileName, "b/");
    const lines = patch.hunks.flatMap((hunk) => hunk.lines);
    return {
      path,
      isNew: patch.oldFileName === "/dev/null",
      changedLines: lines.filter(isChange).length,
      longestContext: Math.max(...patch.hunks.map((hunk) => longestContext(hunk.lines))),
      patch,
    };
  });
}

/** Applies a file's change with exact context at the stated lines; throws when the contents do not fit. */
export function applyExactly(contents: string, change: FileChange): string {
  const lines = contents.split("\n");
  for (const hunk of change.patch.hunks) {
    const expected = hunk.lines
      .filter((line) => line.startsWith(" ") || line.startsWith("-"))
      .map((line) => line.slice(1));
    const first = expected.findIndex((line, at) => lines[hunk.oldStart - 1 + at] !== line);
    if (first >= 0) {
      const at = hunk.oldStart + first;
      throw new Error(
        `${change.path}:${at}: expected "${expected[first]}"; found ${JSON.stringify(lines[at - 1] ?? null)}. Regenerate the diff.`,
      );
    }
  }
  const outcome = applyPatch(contents, change.patch, { fuzzFactor: 0 });
  if (outcome === false)
    throw new Error(
      `${change.path}: expected the hunks to apply one after the other; they do not. Regenerate the diff.`,
    );
  return outcome;
}

function withoutPrefix(name: string | undefined, prefix: string): string {
  if (!name?.startsWith(prefix))
    throw new Error(`change.diff: expected file names that begin with a/ and b/; found "${name}".`);
  return name.slice(prefix.length);
}

function isChange(line: string): boolean {
  return line.startsWith("+") || line.startsWith("-");
}

function longestContext(lines: readonly string[]): number {
  let longest = 0;
  let run = 0;
  for (const line of lines) {
    run = line.startsWith(" ") ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
