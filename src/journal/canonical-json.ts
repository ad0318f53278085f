/**
 * Objects and arrays that one value may hold. The text of a value that shares its parts can be exponentially larger.
 */
const MAX_CONTAINERS = 10_000_000;

let containers = 0;

/**
 * Below this depth the text is written without recursion, which overflows the stack some thousand levels further down.
 */
const MAX_LEVELS = 300;

/**
 * Returns the canonical text of a JSON value (RFC 8785): object keys sorted by their UTF-16 code units, no white space,
 * numbers and strings as `JSON.stringify` writes them. Values that JSON cannot hold are treated as `JSON.stringify`
 * treats them: left out of an object, null in an array; `toJSON` is called. Equal values give equal texts, whatever the
 * order of their keys and at any depth. Throws a TypeError on a bigint, and a RangeError on a value that contains
 * itself or, by sharing its parts, more than 10,000,000 objects and arrays.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { canonicalJson } from "openclaw-integrity/journal";
 *
 * assert.equal(canonicalJson({ b: [1.0, undefined], a: "é", c: undefined }), '{"a":"é","b":[1,null]}');
 * ```
 */
export function canonicalJson(value: unknown): string {
  containers = 0;
  return serialize(value, 0) ?? "null";
}

function serialize(value: unknown, level: number): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
      return value ? "true" : "false";
    case "object":
      return value === null ? "null" : ofObjectOrList(value, level);
    default:
      return JSON.stringify(value);
  }
}

function ofObjectOrList(value: object, level: number): string | undefined {
  countContainer();
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return serialize(toJSON.call(value), level + 1);
  if (level > MAX_LEVELS) return ofDeep(value);
  return Array.isArray(value) ? ofList(value, level + 1) : ofObject(value as Record<string, unknown>, level + 1);
}

function ofList(list: readonly unknown[], level: number): string {
  let text = "[";
  for (let at = 0; at < list.length; at++) {
    if (at > 0) text += ",";
    text += serialize(list[at], level) ?? "null";
  }
  return `${text}]`;
}

function ofObject(record: Record<string, unknown>, level: number): string {
  let text = "";
  for (const key of sortedKeys(record)) {
    const member = serialize(record[key], level);
    if (member !== undefined) text += (text === "" ? "" : ",") + writeName(key) + member;
  }
  return `{${text}}`;
}

/** An object or array that is being written. */
interface Open {
  readonly container: object;
  /** Undefined for a list. */
  readonly keys: readonly string[] | undefined;
  at: number;
  text: string;
}

/** Returns the text of an object or array below MAX_LEVELS, with a stack of its own. */
function ofDeep(container: object): string {
  const open: Open[] = [toOpen(container)];
  const inside = new Set([container]);
  for (;;) {
    const top = open.at(-1)!;
    const { keys } = top;
    if (top.at === (keys ?? (top.container as readonly unknown[])).length) {
      open.pop();
      inside.delete(top.container);
      const text = keys ? `{${top.text}}` : `[${top.text}]`;
      const outer = open.at(-1);
      if (!outer) return text;
      put(outer, text);
      continue;
    }
    const member = callToJson((top.container as Record<string | number, unknown>)[keys?.[top.at] ?? top.at]);
    if (typeof member !== "object" || member === null) {
      put(top, serialize(member, 0));
      continue;
    }
    if (inside.has(member)) throw new RangeError("A value that contains itself has no canonical JSON");
    countContainer();
    inside.add(member);
    open.push(toOpen(member));
  }
}

function countContainer(): void {
  if (++containers > MAX_CONTAINERS)
    throw new RangeError(`A value of more than ${MAX_CONTAINERS} objects and arrays gets no canonical JSON`);
}

function toOpen(container: object): Open {
  return {
    container,
    keys: Array.isArray(container) ? undefined : sortedKeys(container as Record<string, unknown>),
    at: 0,
    text: "",
  };
}

/** Appends the next member; undefined is left out of an object and is null in an array. */
function put(open: Open, text: string | undefined): void {
  const at = open.at++;
  if (!open.keys) open.text += `${at > 0 ? "," : ""}${text ?? "null"}`;
  else if (text !== undefined) open.text += (open.text === "" ? "" : ",") + writeName(open.keys[at]!) + text;
}

/** Returns what `toJSON` makes of a value; the value itself when it has no such method. */
function callToJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? (toJSON.call(value) as unknown) : value;
}

/** Skips the sort for keys that are in order already: messages have few keys, and stored ones often are in order. */
function sortedKeys(record: Record<string, unknown>): string[] {
  const keys = Object.keys(record);
  return areSorted(keys) ? keys : keys.toSorted();
}

function areSorted(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if (keys[at - 1]! > keys[at]!) return false;
  return true;
}

/** Cache of short keys in JSON: messages have the same few keys thousands of times. */
const names = new Map<string, string>();
const MAX_NAMES = 500;

function writeName(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = `${JSON.stringify(key)}:`;
  if (names.size < MAX_NAMES && key.length < 32) names.set(key, name);
  return name;
}
