import { canonicalText, sha256 } from "../base/json.ts";
import { RECORDS, type WorkState } from "../base/state.ts";

/** Cache of digests: entries are never changed in place, so each is hashed once. */
const digests = new WeakMap<object, string>();

/**
 * Returns the checksum of a state: SHA-256 of the canonical text of the state in which every goal, task, checkpoint and
 * open step is replaced by the SHA-256 of its own canonical text. An append then hashes only what it changed instead of
 * the whole state.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, openSqliteStore, stateChecksum } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * await site.createGoal({ text: "Move the site", priority: 5 });
 * let last = "";
 * for await (const event of site.history()) last = event.state_checksum;
 * assert.equal(stateChecksum(await site.state()), last);
 * await continuity.close();
 * ```
 */
export function stateChecksum(state: WorkState): string {
  const records = Object.fromEntries(RECORDS.map((name) => [name, digestsOf(state[name])]));
  return sha256(canonicalText({ ...state, ...records }));
}

function digestsOf(record: Readonly<Record<string, object>>): Record<string, string> {
  // Not by assignment, which ignores an entry with the key "__proto__" in a manipulated store.
  return Object.fromEntries(Object.entries(record).map(([id, entry]) => [id, digestOf(entry)]));
}

function digestOf(entry: object): string {
  const known = digests.get(entry);
  if (known !== undefined) return known;
  const digest = sha256(canonicalText(entry));
  digests.set(entry, digest);
  return digest;
}
