import { randomUUID } from "node:crypto";
import type { Journal } from "../journal/index.ts";
import { assertInUse, callsIn, countByTool, recordLeft, type MoveOptions, type StoredSession } from "../store/index.ts";
import type { JsonObject } from "../transcript/json/json.ts";
import { operatorCarryoverText } from "./carryover.ts";
import { isClosed } from "./closed.ts";
import { timeTravelError } from "./errors.ts";
import type { History, HistoryNode } from "./history.ts";
import { arrivalOf, CARRYOVER_TYPE, type MoveArrival } from "./records.ts";
import type { Target } from "./target.ts";

/** Where an operator takes a conversation. */
export interface RewindOptions extends MoveOptions {
  /** What the agent is told there. */
  readonly note?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Where the patch keeps tool calls and unanswered messages; undefined where there is none. */
  readonly journal?: Journal | undefined;
}

/** What was done, or on a dry run would be. */
export interface Rewound {
  readonly action: "rewound" | "already" | "would-rewind";
  /** The session that the conversation goes on in. */
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
  readonly targetId: string | null;
  readonly departureId: string | null;
  /** How to take it back: undefined where the departure has a call without a result, to which nothing can go. */
  readonly back?: string;
  /** Messages that are no longer part of the conversation, and such that are again. All stay stored. */
  readonly messagesLeft: number;
  readonly messagesBack: number;
  /** The tools that were called in what was left, by how often: `exec 2, read 1`; empty when none was. */
  readonly called: string;
  readonly carryoverId?: string;
  readonly carryover?: string;
  readonly problems: readonly string[];
}

/**
 * Takes a conversation to a place of its own history, between turns, for the operator: one row is appended behind the
 * target, which says so to the agent. Nothing is deleted; where it stood stays as a branch. Doing it twice changes
 * nothing. `history` is of the rows of `session`.
 *
 * Rejects with a StoreError or a TimeTravelError, and then the conversation is as it was: a run works on it
 * (`session-busy`), no conversation goes on in it (`session-left`), OpenClaw does not let it be written
 * (`openclaw-failed`, `not-writable`), the target is a row without an id (`no-such-node`), the note is too long
 * (`bad-carryover`). Issue 8, item 5.
 */
export async function rewind(
  session: StoredSession,
  history: History,
  target: Target,
  { note, dryRun = false, journal, ...options }: RewindOptions = {},
): Promise<Rewound> {
  const { nodeId: targetId } = target;
  const { headId: departureId } = history;
  const text = operatorCarryoverText(history, target, note);
  assertStored(session, targetId);
  assertInUse(session, options.sessionKey);
  const [path, targetPath] = [history.path(), history.path(targetId)];
  const [onPath, stays] = [path, targetPath].map((nodes) => new Set(nodes.map(({ id }) => id))) as [
    Set<string>,
    Set<string>,
  ];
  const left = path.filter(({ id }) => !stays.has(id));
  const calls = callsIn(
    left.map(({ entry }) => entry),
    journal?.cycles.open(session.sessionId) ?? [],
  );
  const head = departureId === null ? undefined : history.node(departureId);
  const outcome = {
    sessionId: session.sessionId,
    sessionKey: options.sessionKey ?? session.sessionKey,
    targetId,
    departureId,
    ...(head && isClosed(history, head) && { back: head.id }),
    messagesLeft: left.filter(isMessage).length,
    messagesBack: targetPath.filter((node) => !onPath.has(node.id) && isMessage(node)).length,
    called: countByTool(calls.filter(({ outcome: became }) => became !== "not-started")),
    problems: session.problems,
  };
  const isThere = targetId === departureId || (head && isArrivalAt(head.entry, targetId));
  if (isThere && session.isCurrent) {
    // A kill may have come behind the row.
    if (!dryRun) await session.settle();
    return { ...outcome, action: "already" };
  }
  session.assertIdle(options);
  if (dryRun) return { ...outcome, action: "would-rewind", carryover: text };
  const details: MoveArrival & JsonObject = { intentId: randomUUID(), departureId, targetId, by: "operator" };
  const carryoverId = await session.goOnFrom(targetId, { text, details, customType: CARRYOVER_TYPE }, options);
  if (journal) recordLeft(journal, outcome.sessionId, calls);
  return { ...outcome, sessionId: session.sessionId, action: "rewound", carryoverId, carryover: text };
}

/** A row without an id of its own is given one where it is loaded; nothing can be appended behind that. */
function assertStored(session: StoredSession, id: string | null): void {
  if (id === null || session.has(id)) return;
  throw timeTravelError("no-such-node", {
    expected: `an entry that ${session.place} has under the id ${id}`,
    found: "a damaged row that has none, or another's",
    todo: "`openclaw-integrity sessions repair` mends the session; or choose another place. Nothing was changed.",
  });
}

function isMessage({ entry }: HistoryNode): boolean {
  return entry.type === "message";
}

function isArrivalAt(entry: JsonObject, targetId: string | null): boolean {
  const arrival = arrivalOf(entry);
  return arrival?.by === "operator" && arrival.targetId === targetId;
}
