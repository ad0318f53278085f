import { hash } from "node:crypto";
import { plainCopy } from "../transcript/json/plain.ts";
import { canonicalJson } from "./canonical-json.ts";

/** The hash of no messages at all, with which every chain begins. */
export const EMPTY_HASH = hash("sha256", "");

/**
 * The hash of a list of messages: SHA-256 (64 hex digits) over the hash so far and the canonical JSON of the next
 * message, message by message. A list that only grew is hashed on from `previous`, the hash of what was there before,
 * without reading that again.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { contentHash } from "openclaw-integrity/journal";
 *
 * const [first, second] = [{ role: "user", content: "Hello" }, { content: "Hi", role: "assistant" }];
 * const before = contentHash([first]);
 * assert.equal(contentHash([second], before), contentHash([first, second])); // goes on where it ended
 * assert.match(before, /^[0-9a-f]{64}$/);
 * ```
 */
export function contentHash(messages: Iterable<unknown>, previous: string = EMPTY_HASH): string {
  let soFar = previous;
  for (const message of messages) soFar = hash("sha256", soFar + textOf(message));
  return soFar;
}

/** {@link inputHash}, which works out the hash of each object once. */
export function rememberedHash(): (input: unknown) => string {
  const known = new Map<unknown, string>();
  return (input) => {
    const hashed = known.get(input) ?? inputHash(input);
    known.set(input, hashed);
    return hashed;
  };
}

/**
 * The hash of a tool call's input, by which a call is told from another one under the same id.
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
  return hash("sha256", textOf(input));
}

/** Of what is no JSON, what JSON there is in it. */
function textOf(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return canonicalJson(plainCopy(value));
  }
}
