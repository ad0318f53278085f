/** Notices messages that an accepted request had and a later one lacks without a reason. Changes nothing. */
import { CARRYOVER_TYPE } from "../../timetravel/index.ts";
import { emit } from "../../observe/index.ts";
import { isBoundary } from "../../transcript/entries.ts";
import { isObject } from "../../transcript/json/json.ts";
import { readOrigin } from "../../transcript/origin.ts";
import { type Forgotten, messageKey, SaidBefore, wordsKey } from "../../transcript/said.ts";
import { withJournal } from "../base/journal.ts";
import { countKinds, logFailure, logLine } from "../base/log.ts";
import { agentMemory, type SessionMemory } from "../base/memory.ts";
import { type GuardContext, type GuardedSession, isCompaction, type SessionManager } from "../openclaw/session.ts";

/** The kind of the journal's incidents of forgotten messages. */
export const FORGOTTEN = "forgotten";

/** Where what is missing is now. */
type Whereabouts =
  /** On the path of the transcript: it was not loaded, or was taken from what was loaded. */
  | "not_loaded"
  /** In the transcript, beside the path. */
  | "off_path"
  | "not_stored"
  /** A text stands in the place of a result that was there. */
  | "replaced";

/**
 * Compares the messages of a model call with those of earlier accepted calls of the session, and records what is gone
 * without a reason: no summary, reset or move was put into the transcript since, and OpenClaw's own limit has not left
 * it out. Changes nothing. Never throws.
 *
 * What was said is kept in memory alone, so that a restart forgets it: a journalled copy would cost a write for each
 * message, for the first request of each session behind a start.
 */
export function noteForgotten(
  session: GuardedSession,
  context: GuardContext,
  memory: SessionMemory,
  given: unknown,
): void {
  const messages = isObject(given) ? given.messages : undefined;
  if (isCompaction(context) || context.sessionId === undefined || !Array.isArray(messages)) return;
  try {
    const said = (memory.said ??= {
      before: new SaidBefore(),
      boundary: undefined,
      resetAt: undefined,
      isReported: false,
    });
    const { sessionManager, agent } = session;
    if (said.resetAt !== memory.resetAt || memory.beginsAgain) said.before.clear();
    said.resetAt = memory.resetAt;
    said.stored = () => (sessionManager?.getEntries?.() ?? []).map(messageIn);
    const wasEmpty = said.before.isEmpty;
    const forgotten = said.before.compare(messages);
    if (wasEmpty) said.boundary = newestBoundary(sessionManager);
    if (forgotten.length === 0) return;
    const boundary = newestBoundary(sessionManager);
    const isNew = boundary !== said.boundary;
    said.boundary = boundary;
    const limited = collectKeys(agentMemory(agent).loaded);
    const unexplained = forgotten.filter((one) => one.isReplaced || !(isNew || has(limited, one)));
    if (unexplained.length > 0) report(context, said, unexplained, sessionManager);
  } catch (error) {
    logFailure("record of what was said", error, "the request is sent all the same");
  }
}

/** Counts the last compared request as accepted. */
export function countAsSaid({ said }: SessionMemory): void {
  if (!said) return;
  try {
    said.before.accept(said.stored);
  } catch (error) {
    logFailure("record of what was said", error, "the answer is passed on");
  }
  // A transcript is no longer needed when its run is over.
  said.stored = undefined;
}

function report(
  context: GuardContext,
  said: NonNullable<SessionMemory["said"]>,
  forgotten: readonly Forgotten[],
  manager: SessionManager | undefined,
): void {
  const { sessionId, sessionKey, api, point, release } = context;
  const where = findWhereabouts(forgotten, manager);
  const kinds = [...new Set(where.values())].toSorted();
  for (const kind of kinds) {
    const messages = [...where.values()].filter((one) => one === kind).length;
    emit("l0:history:forgotten", () => ({ sessionId, messages }), { kind });
  }
  if (said.isReported) return;
  said.isReported = true;
  const roles = countKinds(forgotten.map(({ role }) => role));
  logLine(
    `forgotten: messages of an accepted request are not in the next one, session=${sessionId ?? "?"} ` +
      `api=${api ?? "?"} ${roles} (${kinds.join(", ")})`,
  );
  const details = {
    messages: forgotten.map((one) => ({ key: String(one.key), role: one.role, where: where.get(one) })),
    sessionKey,
    api,
    point,
    release,
  };
  withJournal((journal) =>
    journal.incidents.log({ ...(sessionId !== undefined && { sessionId }), kind: FORGOTTEN, details }),
  );
}

function findWhereabouts(
  forgotten: readonly Forgotten[],
  manager: SessionManager | undefined,
): Map<Forgotten, Whereabouts> {
  const path = collectKeys(manager?.getBranch?.().map(messageIn));
  const all = collectKeys(manager?.getEntries?.().map(messageIn));
  return new Map(
    forgotten.map((one) => [
      one,
      one.isReplaced ? "replaced" : has(path, one) ? "not_loaded" : has(all, one) ? "off_path" : "not_stored",
    ]),
  );
}

function collectKeys(messages: readonly unknown[] | undefined): Set<unknown> {
  return new Set((messages ?? []).flatMap((message) => [messageKey(message), wordsKey(message)]));
}

function has(keys: ReadonlySet<unknown>, { key, words }: Forgotten): boolean {
  return keys.has(key) || keys.has(words);
}

function messageIn(entry: unknown): unknown {
  return isObject(entry) ? entry.message : undefined;
}

/** The newest entry of the path behind which a conversation has lost its beginning for a reason that it names. */
function newestBoundary(manager: SessionManager | undefined): unknown {
  const entry = manager
    ?.getBranch?.()
    .findLast(
      (each) =>
        isBoundary(each) ||
        (isObject(each) &&
          (each.type === "branch_summary" ||
            each.customType === CARRYOVER_TYPE ||
            readOrigin(each.details).extract === true)),
    );
  return isObject(entry) ? entry.id : undefined;
}
