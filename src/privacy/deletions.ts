import { deletedAt } from "./holders/agent-rows.ts";
import type { Subject } from "./holders/holder.ts";
import type { KnownSession, KnownSessions, SeenDeletion } from "./holders/known-sessions.ts";
import { deletionMarks, sessionsThere, type Names, type StoreNow } from "./names.ts";
import { hasTranscriptFolder } from "./holders/renamed-transcripts.ts";
import { goesOnElsewhere } from "./subject.ts";

/** Deletions of sessions that something of ours is about. */
export interface Deletions {
  /** What of ours goes now. */
  readonly due: readonly Subject[];
  /** Seen, and not yet to be followed. */
  readonly waiting: readonly SeenDeletion[];
}

/**
 * For so long a deletion is only remembered: whoever has deleted a session by mistake can take OpenClaw's renamed
 * transcript back, and a store that was moved about comes to rest.
 */
export const GRACE_MS = 60 * 60 * 1000;
/**
 * What is written after a deletion belongs to somebody who has taken it back; clocks and file systems differ by less.
 */
const SAME_MOMENT_MS = 60_000;

/** Remembers which sessions there are, as far as the store could be read. Throws a JournalError. */
export function noteSessions(
  known: KnownSessions,
  { sessions, problems }: Pick<StoreNow, "sessions" | "problems">,
): void {
  if (problems.length > 0) return;
  known.note(
    sessions.map(({ agentId, sessionId, sessionKey, kind, place }): KnownSession => ({
      agentId,
      sessionId,
      sessionKey,
      transcript: kind === "file" ? place : undefined,
    })),
  );
}

/** The ids of sessions that somebody has deleted, by the marks of it; cheap, for those who look often. */
export function markedDeleted(store: StoreNow): string[] {
  const { files, rows } = deletionMarks(store);
  return [...files, ...rows].map(({ sessionId }) => sessionId);
}

/**
 * What OpenClaw has deleted, by what it leaves when it does: a transcript renamed to `*.deleted.*` (to 2026.7), one
 * kept as deleted in its database (since 2026.8). That a session is not there proves nothing: OpenClaw's own resets, a
 * disk that is not mounted and a restored backup look the same. Nothing is due while a store cannot be read, nor what
 * was reset, is there again, or was written to since. Only the list of sessions is written. Throws what reading throws.
 */
export function followDeletions(
  stateDirectory: string,
  known: KnownSessions,
  names: Names,
  now: number,
  graceMs = GRACE_MS,
): Deletions {
  const { problems, renamed, rows, files, deletions: remembered } = names;
  if (problems.length > 0) return { due: [], waiting: [] };
  const there = new Set([
    ...sessionsThere(names),
    ...renamed.flatMap(({ reason, sessionId }) => (reason === "reset" ? [sessionId] : [])),
  ]);
  const [ids, keys] = [
    new Set(names.ours.flatMap(({ sessionId }) => sessionId ?? [])),
    new Set(names.ours.flatMap(({ sessionKey }) => sessionKey ?? [])),
  ];
  const isOurs = ({ sessionId, sessionKey }: Pick<SeenDeletion, "sessionId" | "sessionKey">): boolean =>
    ids.has(sessionId) || (sessionKey !== undefined && keys.has(sessionKey));
  const over = remembered.filter((one) => there.has(one.sessionId) || !isOurs(one));
  known.forgetDeletions(over.map(({ sessionId }) => sessionId));
  known.noteDeletions(
    marks(stateDirectory, names).filter((one) => !there.has(one.sessionId) && isOurs(one)),
    now,
  );
  const written = new Map<string, number>();
  for (const { sessionId, modifiedAt } of files)
    written.set(sessionId, Math.max(written.get(sessionId) ?? 0, modifiedAt));
  const isDue = ({ agentId, sessionId, deletedAt: at, seenAt }: SeenDeletion): boolean =>
    now - seenAt >= graceMs &&
    (rows.agents.has(agentId) || hasTranscriptFolder(stateDirectory, agentId)) &&
    (written.get(sessionId) ?? 0) <= at + SAME_MOMENT_MS;
  const open = remembered.filter((one) => !over.includes(one));
  return {
    due: open.filter(isDue).map((one) => subjectOfDeletion(one, names)),
    waiting: open.filter((one) => !isDue(one)),
  };
}

/**
 * A session that was deleted, with its conversation unless that goes on: whoever has written to it again has a
 * conversation of the same name.
 */
export function subjectOfDeletion(
  { sessionId, sessionKey }: Pick<SeenDeletion, "sessionId" | "sessionKey">,
  store: StoreNow,
): Subject {
  const sessionIds = new Set([sessionId]);
  return {
    sessionIds,
    sessionKeys: new Set(
      sessionKey !== undefined && !goesOnElsewhere(sessionKey, sessionIds, store) ? [sessionKey] : [],
    ),
  };
}

/** The marks of deletion with their times. */
function marks(stateDirectory: string, names: Names): Omit<SeenDeletion, "seenAt">[] {
  const { files, rows } = deletionMarks(names);
  const remembered = new Set(names.deletions.map(({ sessionId }) => sessionId));
  const keyOf = ({ agentId, sessionId }: Pick<SeenDeletion, "agentId" | "sessionId">): string | undefined =>
    names.list.find((one) => one.agentId === agentId && one.sessionId === sessionId)?.sessionKey;
  return [
    ...files.map(({ agentId, sessionId, at }) => ({
      agentId,
      sessionId,
      deletedAt: at,
      sessionKey: keyOf({ agentId, sessionId }),
    })),
    ...rows
      .filter(({ sessionId }) => !remembered.has(sessionId))
      .flatMap((one) => {
        const at = deletedAt(stateDirectory, one);
        return at === undefined ? [] : [{ ...one, deletedAt: at }];
      }),
  ];
}
