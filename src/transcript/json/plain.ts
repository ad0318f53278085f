/** Makes any value JSON of bounded depth and size. */
import { isPlainTree, MAX_DEPTH, MAX_MESSAGE_DEPTH, MAX_ITEMS } from "./depth.ts";
import { deepText, toJson } from "./json.ts";
import { opaqueText } from "./opaque.ts";

/**
 * Bounds on one copy: values that are copied, and shared containers that are copied again. A value beyond them is
 * replaced by the beginning of its text.
 */
const MAX_COPIED = 20_000_000;
const MAX_REPEATS = 100_000;

/**
 * Bound on one copy: characters of the texts that replace levels which are too deep. Without shared containers these
 * texts are no longer than the value's own JSON.
 */
const MAX_DEEP_TEXT = 20_000_000;

const UNREADABLE = "[This value could not be read.]";
const ITSELF = "[This value contains itself here.]";

/** Returns the text that replaces a value which nests too deeply. */
function deepWords(value: unknown): string {
  return `[Nested deeper than ${MAX_DEPTH} levels, told as text: ${deepText(value)}]`;
}

/**
 * Copies any value to plain JSON of at most `limit` levels; deeper values are replaced by {@link deepWords}. A
 * bigint becomes its digits, a value without JSON a text on what it is. For a value whose getters throw, or that
 * contains itself. Deterministic. Never throws.
 */
export function plainCopy(value: unknown, limit = MAX_MESSAGE_DEPTH): unknown {
  return copied(value, limit, new Copier(false));
}

/**
 * Replaces everything deeper than `limit` levels by {@link deepWords}; all other parts stay the same objects. Never
 * throws.
 */
export function withoutDepth(value: unknown, limit = MAX_MESSAGE_DEPTH): unknown {
  return copied(value, limit, new Copier(true));
}

function copied(value: unknown, limit: number, copier: Copier): unknown {
  const copy = copier.copy(value, limit);
  return copier.isOver ? deepWords(value) : (copy ?? null);
}

/**
 * Returns the items with a {@link plainCopy} of each that is no JSON or nests too deeply, and the indices of these.
 * Throws `error` when there are none, since the error has another cause then.
 */
export function asJson(
  items: readonly unknown[],
  error: unknown,
): { readonly items: unknown[]; readonly copied: number[] } {
  const replaced: number[] = [];
  const next = Array.from(items, (item, at) => {
    if (item === undefined || isJson(item)) return item;
    replaced.push(at);
    return plainCopy(item);
  });
  if (replaced.length === 0) throw error;
  return { items: next, copied: replaced };
}

/** True for a value that JSON.stringify accepts and writes in reasonable time. */
export function isJson(value: unknown): boolean {
  try {
    return isPlainTree(value) && JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

class Copier {
  #copied = 0;
  #deepText = 0;
  #repeats = 0;
  readonly #seen = new Set<object>();
  /** Parts that need no change are shared with the original instead of copied. */
  readonly #isSharing: boolean;
  /** The containers that are being copied. */
  readonly #inside = new Set<object>();

  constructor(isSharing: boolean) {
    this.#isSharing = isSharing;
  }

  /** True when a bound was exceeded: the value is too large, or becomes so by its shared containers. */
  get isOver(): boolean {
    return this.#copied > MAX_COPIED || this.#repeats > MAX_REPEATS || this.#deepText > MAX_DEEP_TEXT;
  }

  /** Copies a value; undefined for values that JSON leaves out. */
  copy(value: unknown, left: number): unknown {
    this.#copied++;
    if (this.isOver) return null;
    switch (typeof value) {
      case "object":
        return value === null ? null : this.#container(value, left);
      case "bigint":
        return String(value);
      case "function":
      case "symbol":
        return undefined;
      default:
        return value;
    }
  }

  #container(value: object, left: number): unknown {
    if (this.#inside.has(value)) return ITSELF;
    if (left === 0) return this.#asDeepText(value);
    if (this.#seen.has(value)) this.#repeats++;
    this.#seen.add(value);
    this.#inside.add(value);
    try {
      // The result of toJSON, as JSON.
      if (typeof (value as { toJSON?: unknown }).toJSON === "function")
        return this.copy(JSON.parse(toJson(value)), left);
      const words = this.#isSharing ? undefined : opaqueText(value);
      if (words !== undefined) return words;
      return Array.isArray(value) ? this.#list(value, left) : this.#object(value, left);
    } catch {
      return UNREADABLE;
    } finally {
      this.#inside.delete(value);
    }
  }

  #asDeepText(value: object): string {
    const words = deepWords(value);
    this.#deepText += words.length;
    return words;
  }

  #list(value: readonly unknown[], left: number): readonly unknown[] {
    if (value.length > MAX_ITEMS) this.#copied = Number.POSITIVE_INFINITY;
    if (this.isOver) return [];
    const items = Array.from(value, (item) => this.copy(item, left - 1) ?? null);
    return this.#isSharing && items.every((item, at) => item === value[at]) ? value : items;
  }

  #object(value: object, left: number): object {
    const members: [string, unknown][] = [];
    let isSame = this.#isSharing;
    for (const key of Object.keys(value)) {
      let found: unknown;
      try {
        found = (value as Record<string, unknown>)[key];
      } catch {
        members.push([key, UNREADABLE]);
        isSame = false;
        continue;
      }
      const child = this.copy(found, left - 1);
      isSame &&= child === found;
      if (child !== undefined) members.push([key, child]);
    }
    if (isSame) return value;
    const copy = Object.fromEntries(members);
    // Properties under symbols are marks of this project.
    for (const mark of this.#isSharing ? Object.getOwnPropertySymbols(value) : [])
      Object.defineProperty(copy, mark, Object.getOwnPropertyDescriptor(value, mark)!);
    return copy;
  }
}
