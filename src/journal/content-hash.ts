import { hash } from "node:crypto";
import { plainCopy } from "../transcript/json/plain.ts";
import { canonicalJson } from "./canonical-json.ts";

/** The hash of an empty list of messages, with which every chain begins. */
export const EMPTY_HASH = hash("sha256", "");

/**
 * Returns the hash of a list of messages: SHA-256 (64 hex digits) over the hash so far and the canonical JSON of the
 * next message, message by message. For a list that only grew, `previous` is the hash of the earlier messages, which
 * then need not be read again.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { contentHash } from "openclaw-integrity/journal";
 *
 * const [first, second] = [{ role: "user", content: "Hello" }, { content: "Hi", role: "assistant" }];
 * const before = contentHash([first]);
 * assert.equal(contentHash([second], before), contentHash([first, second])); // continues where `before` ended
 * assert.match(before, /^[0-9a-f]{64}$/);
 * ```
 */
export function contentHash(messages: Iterable<unknown>, previous: string = EMPTY_HASH): string {
  let soFar = previous;
  for (const message of messages) soFar = hash("sha256", soFar + writeCanonical(message));
  return soFar;
}

/** Returns an {@link inputHash} that computes the hash of each object once. */
export function rememberedHash(): (input: unknown) => string {
  const hashes = new Map<unknown, string>();
  return (input) => {
    const hashed = hashes.get(input) ?? inputHash(input);
    hashes.set(input, hashed);
    return hashed;
  };
}

/**
 * Returns the hash of a tool call's input, which tells apart two calls with the same id.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { inputHash } from "openclaw-integrity/journal";
 *
 * assert.equal(inputHash({ command: "ls", cwd: "/" }), inputHash({ cwd: "/", command: "ls" }));
 * assert.notEqual(inputHash({ command: "ls" }), inputHash({ command: "rm" }));
 * ```
 */
export function inputHash(input: unknown): string {
  return hash("sha256", writeCanonical(input));
}

/** Returns the canonical JSON of a value; of a value that has none, the canonical JSON of its plain copy. */
function writeCanonical(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return canonicalJson(plainCopy(value));
  }
}
