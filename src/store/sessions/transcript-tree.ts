import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { isTreeRow } from "../../transcript/entries.ts";

/** An entry of a transcript file: what it is and where its line stands. The line itself is read when it is needed. */
export interface Place {
  readonly id: string;
  readonly type: string;
  /** Where its line begins, in bytes from the beginning of the file. */
  readonly at: number;
  readonly length: number;
}

/**
 * Marks a row of several that count together or not at all: how many of them are still to come. OpenClaw does not look
 * at it.
 */
export const MORE_TO_COME = "moreToCome";

/**
 * The tree of a JSONL transcript, row by row as OpenClaw builds it: a row hangs on its parent, and the conversation
 * goes on behind the last one. Since 2026.6, `leaf` rows move that place, and rows with `appendMode` "side" do not. A
 * row that others were to follow does not count until they have ({@link MORE_TO_COME}).
 */
export class TranscriptTree {
  /** The entry that the conversation goes on behind; null while there is none. */
  leafId: string | null = null;
  readonly #places = new Map<string, Place>();
  readonly #parents = new Map<string, string | null>();
  /** Rows that were to move the leaf to an entry that is not there. */
  readonly #nowhere = new Set<string>();
  /** Of rows that are no entries, some row further up. */
  readonly #above = new Map<string, string | null>();
  #appendParentId: string | null = null;

  /**
   * Takes the next row of the file. A row that is no entry (a header, one without an id) is passed over; false for
   * that.
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
      // Behind a side row OpenClaw appends to the row, and means the leaf.
      const isBehindSide = !isSide && row.parentId === this.#appendParentId && this.leafId !== this.#appendParentId;
      this.#hang(id, isBehindSide ? this.leafId : parentOf(row));
      const more = row[MORE_TO_COME];
      const isPart = typeof more === "number" && more > 0;
      if (!isPart) this.#appendParentId = id;
      if (!isTreeRow(row)) return true;
      this.#places.set(id, { id, type, at, length });
      if (!isSide && !isPart) this.leafId = id;
    }
    return true;
  }

  /** Where an entry is; undefined when there is none with this id. */
  place(id: string): Place | undefined {
    return this.#places.get(id);
  }

  /** The entry that this one stands behind: rows that are none are passed over. Null for a first one. */
  parentOf(id: string): string | null {
    return this.#entryAt(this.#parents.get(id) ?? null);
  }

  /** The entries from the first one to this one; none for null or an id that is not there. */
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
   * The entry with this id, or the nearest one above it. What was gone through once is passed over by whoever asks
   * next.
   */
  #entryAt(id: string | null): string | null {
    const way = new Set<string>();
    let at = id;
    while (at !== null && !this.#places.has(at)) {
      const above: string | null | undefined = this.#above.has(at) ? this.#above.get(at) : this.#parents.get(at);
      // A row that is not there yet may come.
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
    this.#hang(id, isKnown ? target : parentOf(row));
    if (!isKnown) {
      // As OpenClaw does it: a move to nowhere is none.
      this.#nowhere.add(id);
      return;
    }
    this.leafId = this.#entryAt(target);
    this.#appendParentId = typeof row.appendParentId === "string" ? row.appendParentId : this.leafId;
  }
}

function parentOf(row: JsonObject): string | null {
  return typeof row.parentId === "string" ? row.parentId : null;
}
