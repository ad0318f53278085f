/** Short ids: the beginning of an entry's id, as long as it needs to be in its session. */
import { nameInline, quotedInline } from "../../base/quoted.ts";
import { joinSome } from "../../base/join-some.ts";
import { timeTravelError } from "../errors.ts";
import type { History } from "../history.ts";

/** The fewest characters that are taken for the beginning of an id. */
export const MIN_SHORT_ID = 4;

/** The fewest characters that are shown: more than are needed now, so that they fit one id for longer. */
export const SHOWN_SHORT_ID = 6;

const CANDIDATES = 5;

const idsByHistory = new WeakMap<History, ShortIds>();

/** The short ids of a history, which are computed once. */
export function toShortIds(history: History): ShortIds {
  const ids = idsByHistory.get(history) ?? new ShortIds(history.ids());
  idsByHistory.set(history, ids);
  return ids;
}

/** The ids of one session, sorted once; every look-up is a binary search. */
export class ShortIds {
  readonly #sorted: readonly string[];

  constructor(ids: Iterable<string>) {
    this.#sorted = [...new Set(ids)].toSorted((one, other) => (one < other ? -1 : 1));
  }

  /**
   * The shortest beginning of an id that no other id of the session has, of at least {@link SHOWN_SHORT_ID}
   * characters; the whole id where it is shorter, or another one begins with it. An unknown id is returned unchanged.
   */
  shorten(id: string): string {
    const at = this.#firstFrom(id);
    if (this.#sorted[at] !== id) return id;
    const shared = Math.max(commonLength(id, this.#sorted[at - 1]), commonLength(id, this.#sorted[at + 1]));
    // A beginning that ends within a character would be another text once it is printed.
    const end = Math.max(SHOWN_SHORT_ID, shared + 1);
    return id.slice(0, end).isWellFormed() ? id.slice(0, end) : id.slice(0, end + 1);
  }

  /**
   * The id that is meant: the id itself, or the only one that begins with these characters. Undefined when there is
   * none. Throws `ambiguous-id`, with the first candidates, when several begin with them.
   */
  find(written: string): string | undefined {
    const at = this.#firstFrom(written);
    if (this.#sorted[at] === written) return written;
    if (written.length < MIN_SHORT_ID) return undefined;
    const laterIds = this.#sorted.slice(at);
    const end = laterIds.findIndex((id) => !id.startsWith(written));
    const found = end < 0 ? laterIds : laterIds.slice(0, end);
    if (found.length <= 1) return found[0];
    throw timeTravelError("ambiguous-id", {
      expected: "the id of an entry, or as much of its beginning as no other id has",
      found: `${quotedInline(written, 100)}, with which ${found.length} ids begin`,
      todo: `Write more of the one that is meant: ${joinSome(found.map(nameInline), CANDIDATES)}. Nothing was changed.`,
    });
  }

  /** Index of the first id that is not before a text. */
  #firstFrom(text: string): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sorted[middle]! < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Returns the one whose id is meant, as {@link ShortIds.find} does. */
export function byShortId<One extends { readonly id: string }>(all: readonly One[], written: string): One | undefined {
  const id = new ShortIds(all.map((one) => one.id)).find(written);
  return all.find((one) => one.id === id);
}

function commonLength(one: string, other: string | undefined): number {
  if (other === undefined) return 0;
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
