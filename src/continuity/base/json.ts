/** The JSON that the kernel records: canonical text, checksums, and what cannot be stored unchanged everywhere. */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { nameInline } from "../../base/quoted.ts";
import { continuityError } from "./errors.ts";

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Keys that JSON Patch libraries drop or that reach an object's prototype. */
const REFUSED_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const DEEPEST = 64;

/** Returns the canonical text of a JSON value (RFC 8785). Throws for values that JSON cannot hold. */
export function canonicalText(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined)
    throw continuityError("bad-input", {
      expected: "a JSON value",
      found: typeof value,
      todo: "Pass null, a boolean, a number, a string, an array or an object.",
    });
  return text;
}

/** Returns the SHA-256 of a text's UTF-8 bytes, or of bytes, as 64 hexadecimal digits. */
export function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Asserts that a value can be stored and read back unchanged, from SQLite's TEXT and from PostgreSQL's JSONB. Throws
 * `bad-input` with the place of the first problem: NaN or an infinite number, U+0000 or half a surrogate pair in a
 * text, `undefined`, a function, a key that reaches a prototype, more than 64 levels. `todo` says what to do instead.
 */
export function assertStorable(
  value: unknown,
  place = "value",
  { depth = 0, todo = "Pass another value. Nothing was written." } = {},
): asserts value is Json {
  const refuse = (found: string): never => {
    throw continuityError("bad-input", {
      expected: `JSON that every store returns as it was, at ${place}`,
      found,
      todo,
    });
  };
  if (depth > DEEPEST) refuse(`more than ${DEEPEST} levels`);
  if (value === null || typeof value === "boolean") return;
  if (typeof value === "string") return assertText(value, refuse);
  if (typeof value === "number") return void (Number.isFinite(value) || refuse(String(value)));
  if (Array.isArray(value))
    return value.forEach((item, at) => assertStorable(item, `${place}/${at}`, { depth: depth + 1, todo }));
  if (typeof value !== "object" || ![Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null))
    refuse(typeof value === "object" ? "an object with a class of its own" : typeof value);
  for (const [key, member] of Object.entries(value as object)) {
    if (REFUSED_KEYS.has(key)) refuse(`the key ${nameInline(key)}`);
    assertText(key, refuse);
    assertStorable(member, `${place}/${nameInline(key)}`, { depth: depth + 1, todo });
  }
}

function assertText(text: string, refuse: (found: string) => never): void {
  if (text.includes("\u0000")) refuse("a text with U+0000, which PostgreSQL cannot hold");
  if (!text.isWellFormed()) refuse("a text with half a surrogate pair");
}

/** Returns whether a key is refused in JSON Patch paths and in the kernel's records. */
export function isRefusedKey(key: string): boolean {
  return REFUSED_KEYS.has(key);
}
