import { MAX_ITEMS } from "./depth.ts";

/** Texts in place of values that JSON cannot express. */
const ITSELF = '"[this value contains itself here]"';
const UNREADABLE = '"[this value could not be read]"';
const AGAIN = '"[a value that is told above]"';

/** How often shared values are written again before AGAIN replaces them, and the most characters that are written. */
const MAX_REPEATS = 100_000;
const MAX_TEXT = 1 << 27;

/** The beginning of a value's JSON text. */
export interface WrittenJson {
  readonly text: string;
  /** False when the text was cut at the limit; it is no JSON then. */
  readonly isWhole: boolean;
}

/** A container that is being written. */
interface Open {
  readonly value: object;
  /** Undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  at: number;
  isEmpty: boolean;
}

/**
 * Writes the JSON text of any value as `JSON.stringify` does, but without recursion: for any depth, ends for every
 * value, never throws but for a text or a key whose JSON is longer than a string can be (2^29 characters in V8). The
 * text has at most `most` characters.
 */
export function writeJson(value: unknown, most = MAX_TEXT): WrittenJson {
  return new Writer(most).write(value);
}

class Writer {
  readonly #most: number;
  readonly #parts: string[] = [];
  #length = 0;
  readonly #open: Open[] = [];
  /** The containers that are being written, and all that were begun. */
  readonly #inside = new Set<object>();
  readonly #seen = new Set<object>();
  #repeats = 0;

  constructor(most: number) {
    this.#most = most;
  }

  write(value: unknown): WrittenJson {
    if (!this.#begin(value, "")) this.#put("null");
    for (let open = this.#open.at(-1); open && this.#length <= this.#most; open = this.#open.at(-1)) {
      if (open.at < open.length) this.#member(open);
      else this.#end(open);
    }
    const text = this.#parts.join("");
    return text.length <= this.#most ? { text, isWhole: true } : { text: text.slice(0, this.#most), isWhole: false };
  }

  #member(open: Open): void {
    const key = open.keys?.[open.at];
    const comma = open.isEmpty ? "" : ",";
    const name = key === undefined ? comma : `${comma}${JSON.stringify(key)}:`;
    const child = read(open.value, key ?? open.at);
    open.at++;
    if (this.#begin(child, name)) open.isEmpty = false;
    else if (key === undefined) {
      this.#put(`${name}null`);
      open.isEmpty = false;
    }
  }

  /**
   * Writes `before` and the value, or the beginning of a container. Returns false, with nothing written, for a value
   * that JSON leaves out.
   */
  #begin(given: unknown, before: string): boolean {
    const value = callToJson(given);
    if (value === UNREAD) return this.#put(before, UNREADABLE);
    switch (typeof value) {
      case "undefined":
      case "function":
      case "symbol":
        return false;
      case "bigint":
        return this.#put(before, `"${value}"`);
      case "object":
        return value === null ? this.#put(before, "null") : this.#container(value, before);
      default:
        return this.#put(before, JSON.stringify(value));
    }
  }

  #container(value: object, before: string): boolean {
    if (this.#inside.has(value)) return this.#put(before, ITSELF);
    if (this.#seen.has(value) && ++this.#repeats > MAX_REPEATS) return this.#put(before, AGAIN);
    const open = toOpen(value);
    if (!open) return this.#put(before, UNREADABLE);
    this.#seen.add(value);
    this.#inside.add(value);
    this.#open.push(open);
    return this.#put(before, open.keys ? "{" : "[");
  }

  #end({ value, keys }: Open): void {
    this.#open.pop();
    this.#inside.delete(value);
    this.#put(keys ? "}" : "]");
  }

  #put(...parts: string[]): true {
    for (const part of parts) {
      this.#parts.push(part);
      this.#length += part.length;
    }
    return true;
  }
}

/** Returned in place of a value that cannot be read. */
const UNREAD = Symbol("unread");

/** Reads a property; UNREAD where that throws. */
function read(value: object, key: string | number): unknown {
  try {
    return (value as Record<string | number, unknown>)[key];
  } catch {
    return UNREAD;
  }
}

/** Returns the result of a value's own `toJSON`, which a date has, or the value. */
function callToJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const toJSON = read(value, "toJSON");
  if (typeof toJSON !== "function") return value;
  try {
    return toJSON.call(value) as unknown;
  } catch {
    return UNREAD;
  }
}

function toOpen(value: object): Open | undefined {
  try {
    if (Array.isArray(value))
      return value.length > MAX_ITEMS
        ? undefined
        : { value, keys: undefined, length: value.length, at: 0, isEmpty: true };
    const keys = Object.keys(value);
    return { value, keys, length: keys.length, at: 0, isEmpty: true };
  } catch {
    return undefined;
  }
}
