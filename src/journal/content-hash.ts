import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

/** The hash of no messages at all, with which every chain begins. */
export const EMPTY_HASH = createHash("sha256").digest("hex");

/**
 * The hash of a list of messages: SHA-256 (64 hex digits) over the hash so far and the canonical JSON of the next message, message by
 * message. A list that only grew is hashed on from `previous`, the hash of what was there before, without reading that again.
 */
export function contentHash(messages: Iterable<unknown>, previous: string = EMPTY_HASH): string {
  let hash = previous;
  for (const message of messages) hash = createHash("sha256").update(hash).update(canonicalJson(message)).digest("hex");
  return hash;
}

/** The hash of a tool call's input, by which a call is told from another one under the same id. */
export function inputHash(input: unknown): string {
  return createHash("sha256").update(canonicalJson(input)).digest("hex");
}
