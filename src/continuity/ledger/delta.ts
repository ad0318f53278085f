import { applyPatch, createPatch } from "rfc6902";
import { valueInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { ownEntry } from "../decide/find.ts";
import { canonicalText, isRefusedKey } from "../base/json.ts";
import { entryFault, isPart } from "../base/shapes.ts";
import { RECORDS, type RecordName, type WorkState } from "../base/state.ts";

/** A change of a JSON Patch, in the words of RFC 6902. */
type Operation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/** A JSON Patch (RFC 6902). */
export type Delta = readonly Operation[];

const SCALARS = ["lease", "completed_steps", "worked_at", "finished", "unknown_since", "claims", "claim_ends"] as const;
/** Longer lists are replaced as a whole: the time to find the fewest operations grows with the square of the length. */
const LONGEST_LIST = 200;

/**
 * Returns the JSON Patch from one state to the next. Deterministic: the same two states give the same operations in the
 * same order. Entries that are the same object are not compared, so the cost depends only on what changed.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { computeDelta, Continuity, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * const before = await site.state();
 * const { goal_id } = await site.createGoal({ text: "Move the site", priority: 5 });
 * const delta = computeDelta(before, await site.state());
 * assert.deepEqual(
 *   delta.map(({ op, path }) => `${op} ${path}`),
 *   ["replace /worked_at", `add /goals/${goal_id}`],
 * );
 * await continuity.close();
 * ```
 */
export function computeDelta(before: WorkState, after: WorkState): Delta {
  const operations: Operation[] = [];
  for (const name of SCALARS) {
    const [old, now] = [before[name], after[name]];
    if (old === now) continue;
    if (old === undefined) operations.push({ op: "add", path: `/${name}`, value: now } as Operation);
    else if (now === undefined) operations.push({ op: "remove", path: `/${name}` });
    else operations.push(...prefixed(`/${name}`, difference(old, now)));
  }
  for (const name of RECORDS) operations.push(...recordDelta(name, before[name], after[name]));
  return operations;
}

function recordDelta(
  name: RecordName,
  before: Readonly<Record<string, object>>,
  after: Readonly<Record<string, object>>,
): Operation[] {
  if (before === after) return [];
  const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return ids.flatMap((id) => {
    const [old, now] = [ownEntry(before, id), ownEntry(after, id)];
    const path = `/${name}/${escapeToken(id)}`;
    if (old === now) return [];
    if (old === undefined) return [{ op: "add", path, value: now } as Operation];
    if (now === undefined) return [{ op: "remove", path } as Operation];
    return prefixed(path, difference(old, now));
  });
}

function difference(before: unknown, after: unknown): Operation[] {
  if (hasLongList(before) || hasLongList(after))
    return canonicalText(before) === canonicalText(after)
      ? []
      : [{ op: "replace", path: "", value: after } as Operation];
  return createPatch(inOrder(before), inOrder(after));
}

/** Sorts keys: PostgreSQL returns them in another order than SQLite, and the operations must not depend on it. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, inOrder(member)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function hasLongList(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).some((member) => Array.isArray(member) && member.length > LONGEST_LIST)
  );
}

function prefixed(prefix: string, operations: readonly Operation[]): Operation[] {
  return operations.map((operation) => ({
    ...operation,
    path: prefix + operation.path,
    ...("from" in operation ? { from: prefix + operation.from } : {}),
  }));
}

/**
 * Returns the state after a delta; the given state is not changed. Throws `damaged` when an operation does not fit the
 * state, or would change a part of it that computeDelta never changes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { applyDelta, Continuity, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * let replayed = await site.state();
 * const { goal_id } = await site.createGoal({ text: "Move the site", priority: 5 });
 * await site.addTask({ goal_id, title: "Move the pictures" });
 * for await (const { delta } of site.history()) replayed = applyDelta(replayed, delta);
 * assert.deepEqual(replayed, await site.state());
 * await continuity.close();
 * ```
 */
export function applyDelta(state: WorkState, delta: Delta): WorkState {
  const draft = copyTouched(state, delta);
  for (const operation of delta) {
    // The inserted value must not be shared with the event.
    const [error] = applyPatch(draft, [copyJson(operation)]);
    if (error) throw doesNotFit(operation, valueInline(error.message));
  }
  for (const operation of delta) assertShape(draft, operation);
  return draft;
}

/** Throws when an operation has left a value of another kind than the kernel writes in that place. */
function assertShape(state: WorkState, operation: Operation): void {
  const [name, id] = splitPath(operation.path, operation);
  const part = (state as unknown as Readonly<Record<string, unknown>>)[name];
  if (id === undefined || !isRecord(name)) {
    if (!isPart(name, part)) throw doesNotFit(operation, "a value of another kind");
    return;
  }
  const entry = ownEntry(part as Readonly<Record<string, unknown>>, id);
  const fault = entry === undefined ? undefined : entryFault(name, entry);
  if (fault !== undefined) throw doesNotFit(operation, `a value of another kind: ${fault}`);
}

function isRecord(name: string): name is RecordName {
  return RECORDS.some((one) => one === name);
}

function copyTouched(state: WorkState, delta: Delta): WorkState {
  const draft: Record<string, unknown> = { ...state };
  const copied = new Set<string>();
  for (const operation of delta) {
    for (const path of "from" in operation ? [operation.path, operation.from] : [operation.path]) {
      const [name, id] = splitPath(path, operation);
      if (!copied.has(name)) draft[name] = copyOfPart(draft[name]);
      copied.add(name);
      const record = draft[name] as Record<string, unknown>;
      if (id !== undefined && !copied.has(`${name}/${id}`) && typeof record?.[id] === "object")
        record[id] = copyJson(record[id]);
      if (id !== undefined) copied.add(`${name}/${id}`);
    }
  }
  return draft as unknown as WorkState;
}

function copyOfPart(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  return Array.isArray(part) ? [...(part as readonly unknown[])] : { ...part };
}

/** Copies a JSON value; structuredClone takes two to three times as long. */
function copyJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as Value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyJson(member)])) as Value;
}

function splitPath(path: unknown, operation: Operation): [string, string | undefined] {
  const parts = typeof path === "string" ? path.split("/").slice(1).map(unescapeToken) : [];
  const [name, id] = parts;
  const isKnown =
    name !== undefined &&
    (RECORDS.some((one) => one === name && id !== undefined) || SCALARS.some((one) => one === name));
  if (!isKnown || parts.some(isRefusedKey)) throw doesNotFit(operation, "no delta changes this place");
  return [name, id];
}

function doesNotFit(operation: Operation, why: string): Error {
  return continuityError("damaged", {
    expected: "a delta that fits the state before it",
    found: `the operation ${valueInline(operation.op)} at ${valueInline(operation.path)}: ${why}`,
    todo: `The ledger or a snapshot was changed from outside. ${fromBackup()} Nothing was executed.`,
  });
}

function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
