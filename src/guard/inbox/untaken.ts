/** OpenClaw's own pending inputs: those that no run will take any more, and which of them were dealt with. */
import { agentDatabase, agentOfKey } from "../../store/sessions/session-coordinates.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Learned } from "../../journal/learned.ts";
import { type PendingInput, pendingInputIds, readPendingInputs } from "../../store/sessions/pending-inputs.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { isObject } from "../../transcript/json/json.ts";
import { withJournal } from "../base/journal.ts";

/** OpenClaw's map of the pending inputs that this process has queued, by their ids. */
const OWNERS = Symbol.for("openclaw.sessionPendingInputOwners");

/** The name under which the journal has the ids of the inputs that are settled. */
const SETTLED = "pending_inputs";

/**
 * Returns the messages of a session that OpenClaw has accepted and that no run will take any more: their run was
 * stopped, superseded or killed before it stored them. OpenClaw knows which ones this process still has queued. Where
 * the journal is asked for the first time, what was accepted before `since()`, in milliseconds since 1970, is left as
 * it is: a person has gone on without an answer. Empty where a release keeps no such messages; throws when the database
 * cannot be read.
 */
export function untakenInputs(sessionId: string, sessionKey: string, since: () => number): PendingInput[] {
  const inputs = findInputs(sessionId, sessionKey);
  const untaken = inputs?.ids?.filter((id) => !inputs.queued.has(id));
  if (!inputs || !untaken) return [];
  const settled = withJournal((journal) => {
    const known = readSettled(journal.learned, sessionId);
    if (known) return known;
    const before = untaken.length === 0 ? [] : readPendingInputs(inputs.file, untaken);
    const from = before.length === 0 ? 0 : since();
    const old = before.filter(({ acceptedAt }) => acceptedAt < from).map(({ id }) => id);
    settleInputs(journal, sessionId, old);
    return old;
  });
  const due = settled ? untaken.filter((id) => !settled.includes(id)) : [];
  return due.length === 0 ? [] : readPendingInputs(inputs.file, due);
}

/** Returns all pending inputs of a session, also those that a run will take or that are settled. Throws likewise. */
export function pendingInputs(sessionId: string, sessionKey: string | undefined): PendingInput[] {
  const inputs = findInputs(sessionId, sessionKey);
  return inputs ? readPendingInputs(inputs.file, inputs.ids ?? []) : [];
}

/** Finds the pending inputs of a session; undefined in releases that keep none. */
function findInputs(
  sessionId: string,
  sessionKey: string | undefined,
): { file: string; ids: readonly string[] | undefined; queued: ReadonlyMap<unknown, unknown> } | undefined {
  const agentId = sessionKey === undefined ? undefined : agentOfKey(sessionKey);
  const queued = queuedHere();
  if (agentId === undefined || !queued) return undefined;
  const file = agentDatabase(stateDirectory(), agentId);
  return { file, ids: pendingInputIds(file, sessionId), queued };
}

/** Records that messages were journalled for the model, so that they are given to it once. Throws a JournalError. */
export function settleInputs({ learned }: Journal, sessionId: string, ids: readonly string[]): void {
  learned.put("session", sessionId, SETTLED, [...(readSettled(learned, sessionId) ?? []), ...ids], Date.now());
}

/** The ids of the inputs of a session that are settled; undefined before any was. */
export function readSettled(learned: Learned, sessionId: string): readonly unknown[] | undefined {
  const known = learned.read("session", sessionId).find(({ what }) => what === SETTLED);
  return known && (Array.isArray(known.value) ? (known.value as unknown[]) : []);
}

/** Returns the inputs that this process has queued, in releases that keep a row of each; undefined in earlier ones. */
function queuedHere(): ReadonlyMap<unknown, unknown> | undefined {
  const owners: unknown = Reflect.get(globalThis, OWNERS);
  return isObject(owners) && owners.live instanceof Map ? owners.live : undefined;
}
