import { canonicalText, sha256 } from "../base/json.ts";
import { RECORDS, type WorkState } from "../base/state.ts";

/** Cache of digests: entries are never changed in place, so each is hashed once. */
const digests = new WeakMap<object, string>();
/** Cache of the texts of whole records, of which an append changes one or two. */
const texts = new WeakMap<object, string>();
const NEEDS_NO_ESCAPE = /^[\w.:-]+$/;

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
  const records: ReadonlySet<string> = new Set(RECORDS);
  const members = Object.entries(state)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([name, value]) => `${keyText(name)}:${records.has(name) ? recordText(value as Entries) : canonicalText(value)}`,
    );
  return sha256(`{${members.join(",")}}`);
}

type Entries = Readonly<Record<string, object>>;

/** Returns the canonical text of a record in which each entry is its digest. */
function recordText(record: Entries): string {
  const known = texts.get(record);
  if (known !== undefined) return known;
  const members = Object.keys(record)
    .toSorted()
    .map((id) => `${keyText(id)}:"${hashEntry(record[id]!)}"`);
  const text = `{${members.join(",")}}`;
  texts.set(record, text);
  return text;
}

function keyText(key: string): string {
  return NEEDS_NO_ESCAPE.test(key) ? `"${key}"` : canonicalText(key);
}

function hashEntry(entry: object): string {
  const known = digests.get(entry);
  if (known !== undefined) return known;
  const digest = sha256(canonicalText(entry));
  digests.set(entry, digest);
  return digest;
}
