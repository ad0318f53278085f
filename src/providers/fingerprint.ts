import { createHash } from "node:crypto";
import { isObject } from "./json.ts";
import type { RecordedRequest } from "./types.ts";

/** Fields that say nothing of what the model reads: whom to bill, what to cache, how to answer. */
const VOLATILE = new Set([
  "metadata",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "stream",
  "stream_options",
  "store",
  "requestMetadata",
]);
/** The same inside the conversation: cache points move with every turn. */
const MARKERS = new Set(["cache_control", "cachePoint"]);

/**
 * SHA-256 of a request's body without its volatile fields and cache points, and whatever the order of its keys: two
 * requests with the same fingerprint ask the model the same. Ids of calls count: a new id is another request.
 */
export function fingerprintBody(body: unknown): string {
  const asked = isObject(body) ? Object.fromEntries(Object.entries(body).filter(([key]) => !VOLATILE.has(key))) : body;
  return createHash("sha256")
    .update(JSON.stringify(asked, ordered) ?? "")
    .digest("hex");
}

function ordered(_key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one: unknown) => !isObject(one) || !("cachePoint" in one));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !MARKERS.has(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * The first two requests (as indices) that asked the same API and path the same, or undefined if no two did. Requests
 * that are no JSON are left out.
 */
export function sameRequestTwice(requests: readonly RecordedRequest[]): { first: number; second: number } | undefined {
  const seen = new Map<string, number>();
  for (const [second, { path, fingerprint }] of requests.entries()) {
    if (fingerprint === "") continue;
    const first = seen.get(`${path} ${fingerprint}`);
    if (first !== undefined) return { first, second };
    seen.set(`${path} ${fingerprint}`, second);
  }
  return undefined;
}
