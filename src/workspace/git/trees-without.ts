import { isTree, treeId, type TreeEntry } from "./tree-objects.ts";

const EMPTY = treeId([]);

/** Trees without some contents. They are made in memory; the caller stores those that {@link takeNew} returns. */
export class TreesWithout {
  readonly #trees: ReadonlyMap<string, readonly TreeEntry[]>;
  readonly #rewritten = new Map<string, string>();
  #new: (readonly TreeEntry[])[] = [];

  constructor(trees: ReadonlyMap<string, readonly TreeEntry[]>) {
    this.#trees = trees;
  }

  /** The object ids of all contents below a tree. */
  contentsBelow(tree: string): ReadonlySet<string> {
    const found = new Set<string>();
    const waiting = new Set([tree]);
    // A set that grows while it is walked gives out what was added too, each tree once.
    for (const oid of waiting)
      for (const entry of this.#trees.get(oid) ?? [])
        if (isTree(entry)) waiting.add(entry.oid);
        else found.add(entry.oid);
    return found;
  }

  /**
   * The tree without these contents, and without the folders that are empty then. Folders are nested 128 times at most.
   */
  without(tree: string, contents: ReadonlySet<string>): string {
    const known = this.#rewritten.get(tree);
    if (known !== undefined) return known;
    const entries = this.#trees.get(tree) ?? [];
    const kept = entries.flatMap((entry): TreeEntry[] => {
      if (!isTree(entry)) return contents.has(entry.oid) ? [] : [entry];
      const oid = this.without(entry.oid, contents);
      return oid === EMPTY ? [] : [{ ...entry, oid }];
    });
    const isSame = kept.length === entries.length && kept.every((entry, at) => entry.oid === entries[at]!.oid);
    const oid = isSame ? tree : treeId(kept);
    if (!isSame) this.#new.push(kept);
    this.#rewritten.set(tree, oid);
    return oid;
  }

  /** The trees that were made and are not stored yet. */
  takeNew(): readonly (readonly TreeEntry[])[] {
    const made = this.#new;
    this.#new = [];
    return made;
  }
}
