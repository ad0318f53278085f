import { hash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

/** The hash of no messages at all, with which every chain begins. */
export const EMPTY_HASH = hash("sha256", "");

/**
 * The hash of a list of messages: SHA-256 (64 hex digits) over the hash so far and the canonical JSON of the next message, message by
 * message. A list that only grew is hashed on from `previous`, the hash of what was there before, without reading that again.
 */
export function contentHash(messages: Iterable<unknown>, previous: string = EMPTY_HASH): string {
  let soFar = previous;
  for (const message of messages) soFar = hash("sha256", soFar + canonicalJson(message));
  return soFar;
}

/** The hash of a tool call's input, by which a call is told from another one under the same id. */
export function inputHash(input: unknown): string {
  return hash("sha256", canonicalJson(input));
}
