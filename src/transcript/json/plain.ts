import { isPlainTree, MAX_DEPTH, MAX_MESSAGE_DEPTH, MOST_ITEMS } from "./depth.ts";
import { deepText, toJson } from "./json.ts";

/**
 * Values in one value that are copied one by one, and containers in it that are copied again because they are shared;
 * beyond, it is told as the beginning of its text.
 */
const MOST_COPIED = 20_000_000;
const MOST_REPEATS = 100_000;

/**
 * Characters that are told of what lies too deep in one value, which is no more than it has where nothing in it is
 * shared.
 */
const MOST_TOLD = 20_000_000;

const UNREADABLE = "[This value could not be read.]";
const ITSELF = "[This value contains itself here.]";

/** What stands for a value that nests too deeply: that it does, and its text. */
export function deepWords(value: unknown): string {
  return `[Nested deeper than ${MAX_DEPTH} levels, told as text: ${deepText(value)}]`;
}

/**
 * A copy of any value that is nothing but JSON of at most `limit` levels; what lies deeper is told as text in its
 * place, with {@link deepWords}. For a value whose properties throw, or that contains itself. The same value gives an
 * equal copy. Never throws.
 */
export function plainCopy(value: unknown, limit = MAX_MESSAGE_DEPTH): unknown {
  return copied(value, limit, new Copier(false));
}

/**
 * The value with what lies deeper than `limit` levels told as text in its place; all that is not concerned by that
 * stays the same object. Never throws.
 */
export function withoutDepth(value: unknown, limit = MAX_MESSAGE_DEPTH): unknown {
  return copied(value, limit, new Copier(true));
}

function copied(value: unknown, limit: number, copier: Copier): unknown {
  const copy = copier.copy(value, limit);
  return copier.isOver ? deepWords(value) : (copy ?? null);
}

/**
 * The items with a {@link plainCopy} of each that is no JSON or nests too deeply, and where those stand. Throws `error`
 * again when there is none: it has another cause.
 */
export function asJson(
  items: readonly unknown[],
  error: unknown,
): { readonly items: unknown[]; readonly copied: number[] } {
  const replaced: number[] = [];
  const next = items.map((item, at) => {
    if (isJson(item)) return item;
    replaced.push(at);
    return plainCopy(item);
  });
  if (replaced.length === 0) throw error;
  return { items: next, copied: replaced };
}

/** True for what JSON.stringify takes, and takes in good time. */
export function isJson(value: unknown): boolean {
  try {
    return isPlainTree(value) && JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

class Copier {
  #copied = 0;
  #told = 0;
  #repeats = 0;
  readonly #seen = new Set<object>();
  /** Whether what needs no change is taken over as it is. */
  readonly #isSharing: boolean;
  /** The containers that are being copied. */
  readonly #inside = new Set<object>();

  constructor(isSharing: boolean) {
    this.#isSharing = isSharing;
  }

  /** True when the value was too large, or shares so much that it is. */
  get isOver(): boolean {
    return this.#copied > MOST_COPIED || this.#repeats > MOST_REPEATS || this.#told > MOST_TOLD;
  }

  /** Undefined for what JSON leaves out. */
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
    if (left === 0) return this.#tell(value);
    if (this.#seen.has(value)) this.#repeats++;
    this.#seen.add(value);
    this.#inside.add(value);
    try {
      // What it says of itself is JSON then.
      if (typeof (value as { toJSON?: unknown }).toJSON === "function")
        return this.copy(JSON.parse(toJson(value)), left);
      return Array.isArray(value) ? this.#list(value, left) : this.#object(value, left);
    } catch {
      return UNREADABLE;
    } finally {
      this.#inside.delete(value);
    }
  }

  #tell(value: object): string {
    const words = deepWords(value);
    this.#told += words.length;
    return words;
  }

  #list(value: readonly unknown[], left: number): readonly unknown[] {
    if (value.length > MOST_ITEMS) this.#copied = Number.POSITIVE_INFINITY;
    if (this.isOver) return [];
    const items = Array.from(value, (item) => this.copy(item, left - 1) ?? null);
    return this.#isSharing && items.every((item, at) => item === value[at]) ? value : items;
  }

  #object(value: object, left: number): object {
    const members: [string, unknown][] = [];
    let isSame = this.#isSharing;
    for (const key of Object.keys(value)) {
      const found = readable(value, key);
      const child = this.copy(found, left - 1);
      isSame &&= child === found;
      if (child !== undefined) members.push([key, child]);
    }
    if (isSame) return value;
    const copy = Object.fromEntries(members);
    // What is no JSON of others is a mark of ours.
    for (const mark of this.#isSharing ? Object.getOwnPropertySymbols(value) : [])
      Object.defineProperty(copy, mark, Object.getOwnPropertyDescriptor(value, mark)!);
    return copy;
  }
}

function readable(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return UNREADABLE;
  }
}
