import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join, parse, sep } from "node:path";
import { unsafePath } from "./errors.ts";

/** A folder or a link on the way to a path, or what is at its end. */
export interface PathStep {
  /** All links above are resolved. */
  readonly path: string;
  readonly stat: Stats;
}

/** The number of links that Linux follows on one path. */
export const MAX_LINKS = 40;

/**
 * Yields each folder from the root to an absolute path, each link on it, and what is at the end; a link at the end is
 * followed too. Throws an `UnsafePathError` for links that lead to each other, and what the file system throws.
 */
export function* stepsTo(path: string): Generator<PathStep> {
  let real = parse(path).root;
  let links = 0;
  const names = path.slice(real.length).split(sep);
  yield { path: real, stat: lstatSync(real) };
  while (names.length > 0) {
    const name = names.shift()!;
    if (name === "" || name === ".") continue;
    const next = name === ".." ? dirname(real) : join(real, name);
    const stat = lstatSync(next);
    yield { path: next, stat };
    if (!stat.isSymbolicLink()) {
      real = next;
      continue;
    }
    if (++links > MAX_LINKS) throw inCircle(next);
    const target = readlinkSync(next);
    const { root } = parse(target);
    if (root !== "") {
      real = root;
      yield { path: real, stat: lstatSync(real) };
    }
    // As in the kernel: `..` after a link goes up from the link's target.
    names.unshift(...target.slice(root.length).split(sep));
  }
}

/** The error for links that lead to each other. */
export function inCircle(link: string): Error {
  return unsafePath({
    expected: `a file behind the symbolic link ${link}`,
    found: "links that lead to each other",
    todo: "Remove them; nothing was changed.",
  });
}
