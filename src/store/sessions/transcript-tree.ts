import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { isTreeRow } from "../../transcript/entries.ts";

/** An entry of a transcript file and the position of its line. The line itself is read when it is needed. */
export interface Place {
  readonly id: string;
  readonly type: string;
  /** Byte offset of its line in the file. */
  readonly at: number;
  readonly length: number;
}

/**
 * Field of a row that belongs to a group of rows which count only together: how many more rows of the group follow.
 * OpenClaw ignores the field.
 */
export const MORE_TO_COME = "moreToCome";

/**
 * The tree of a JSONL transcript, built row by row as OpenClaw does: each row becomes a child of its parent, and the
 * last row is the leaf. Since 2026.6 `leaf` rows move the leaf, and rows with `appendMode` "side" do not. The leaf does
 * not move to a row of an incomplete group ({@link MORE_TO_COME}).
 */
export class TranscriptTree {
  /** Id of the leaf; null while there is none. */
  leafId: string | null = null;
  readonly #places = new Map<string, Place>();
  readonly #parents = new Map<string, string | null>();
  /** `leaf` rows whose target does not exist. */
  readonly #nowhere = new Set<string>();
  /** By the id of a row that is no entry: some row further up, so that long chains are walked once. */
  readonly #above = new Map<string, string | null>();
  #appendParentId: string | null = null;

  /**
   * Adds the next row of the file. Returns false for a row without a place in the tree (a header, a row without an id),
   * which is ignored.
   */
  add(row: unknown, at: number, length: number): boolean {
    if (
      !isObject(row) ||
      typeof row.id !== "string" ||
      row.id === "" ||
      typeof row.type !== "string" ||
      row.type === "session"
    )
      return false;
    const { id, type } = row;
    if (type === "leaf") this.#moveLeaf(id, row);
    else {
      const isSide = row.appendMode === "side";
      // After a side row, OpenClaw names that row as the parent but means the leaf.
      const isBehindSide = !isSide && row.parentId === this.#appendParentId && this.leafId !== this.#appendParentId;
      this.#hang(id, isBehindSide ? this.leafId : readParentId(row));
      const more = row[MORE_TO_COME];
      const isPart = typeof more === "number" && more > 0;
      if (!isPart) this.#appendParentId = id;
      if (!isTreeRow(row)) return true;
      this.#places.set(id, { id, type, at, length });
      if (!isSide && !isPart) this.leafId = id;
    }
    return true;
  }

  /** The position of an entry; undefined when there is none with this id. */
  place(id: string): Place | undefined {
    return this.#places.get(id);
  }

  /** The nearest entry above this one; rows that are no entries are skipped. Null for a first entry. */
  parentId(id: string): string | null {
    return this.#entryAt(this.#parents.get(id) ?? null);
  }

  /** The entries from the first one to this one; none for null or an unknown id. */
  path(toId: string | null = this.leafId): Place[] {
    const path: Place[] = [];
    const seen = new Set<string>();
    for (let id = toId; id !== null && !seen.has(id); id = this.#parents.get(id) ?? null) {
      seen.add(id);
      const place = this.#places.get(id);
      if (place) path.push(place);
    }
    return path.toReversed();
  }

  /**
   * The entry with this id, or the nearest one above it. The result of each walk is remembered for the rows on its way.
   */
  #entryAt(id: string | null): string | null {
    const way = new Set<string>();
    let at = id;
    while (at !== null && !this.#places.has(at)) {
      const above: string | null | undefined = this.#above.has(at) ? this.#above.get(at) : this.#parents.get(at);
      // The missing row may still follow.
      if (above === undefined) break;
      if (way.has(at)) {
        at = null;
        break;
      }
      way.add(at);
      at = above;
    }
    for (const one of way) this.#above.set(one, at);
    return at !== null && this.#places.has(at) ? at : null;
  }

  #hang(id: string, parentId: string | null): void {
    this.#parents.set(id, parentId);
    this.#above.delete(id);
  }

  #moveLeaf(id: string, row: JsonObject): void {
    const target = row.targetId;
    const isKnown =
      target === null || (typeof target === "string" && this.#parents.has(target) && !this.#nowhere.has(target));
    this.#hang(id, isKnown ? target : readParentId(row));
    if (!isKnown) {
      // As in OpenClaw, a move to an unknown entry is ignored.
      this.#nowhere.add(id);
      return;
    }
    this.leafId = this.#entryAt(target);
    this.#appendParentId = typeof row.appendParentId === "string" ? row.appendParentId : this.leafId;
  }
}

function readParentId(row: JsonObject): string | null {
  return typeof row.parentId === "string" ? row.parentId : null;
}
