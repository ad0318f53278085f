/**
 * Follows OpenClaw's own deletions of sessions. The plugin asks {@link markedDeleted} often; when that names a session,
 * the plugin reads Names, calls {@link followDeletions} and deletes what is due. {@link noteSessions} records the
 * sessions of each new list, since a deleted session is no longer in it.
 */
import { deletedAt } from "./holders/agent-rows.ts";
import type { Subject } from "./holders/holder.ts";
import type { KnownSession, KnownSessions, SeenDeletion } from "./holders/known-sessions.ts";
import { deletionMarks, sessionsThere, type Names, type StoreNow } from "./names.ts";
import { hasTranscriptFolder } from "./holders/renamed-transcripts.ts";
import { goesOnElsewhere } from "./subject.ts";

/** Deletions by OpenClaw of sessions of which this project still keeps data. */
export interface Deletions {
  /** Subjects whose data is to be deleted now. */
  readonly due: readonly Subject[];
  /** Deletions that were seen and are not due yet. */
  readonly waiting: readonly SeenDeletion[];
}

/**
 * How long a deletion is only remembered: a user who has deleted a session by mistake can still restore the transcript
 * that OpenClaw renamed, and a store that is being moved is not misread.
 */
export const GRACE_MS = 60 * 60 * 1000;
/**
 * A file written later than this after a deletion means that the deletion was undone; clocks and file systems differ by
 * less.
 */
const SAME_MOMENT_MS = 60_000;

/** Records which sessions exist; does nothing when a store could not be read. Throws a JournalError. */
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

/** The ids of sessions with a mark of deletion; cheap enough to be called often. */
export function markedDeleted(store: StoreNow): string[] {
  const { files, rows } = deletionMarks(store);
  return [...files, ...rows].map(({ sessionId }) => sessionId);
}

/**
 * Finds the sessions that OpenClaw has deleted, by the marks of a deletion: a transcript renamed to `*.deleted.*` (to
 * 2026.7), or one kept as deleted in its database (since 2026.8). A missing session proves nothing: OpenClaw's own
 * resets, a disk that is not mounted and a restored backup look the same. Nothing is due while a store cannot be read;
 * a session is not due that was reset, exists again, or was written to since. A deletion that is recorded here for the
 * first time is in the result of the next call. Writes only the list of sessions. Throws the errors of reading.
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
  const existing = new Set([
    ...sessionsThere(names),
    ...renamed.flatMap(({ reason, sessionId }) => (reason === "reset" ? [sessionId] : [])),
  ]);
  const ourIds = new Set(names.ours.flatMap(({ sessionId }) => sessionId ?? []));
  const ourKeys = new Set(names.ours.flatMap(({ sessionKey }) => sessionKey ?? []));
  const isOurs = ({ sessionId, sessionKey }: Pick<SeenDeletion, "sessionId" | "sessionKey">): boolean =>
    ourIds.has(sessionId) || (sessionKey !== undefined && ourKeys.has(sessionKey));
  const undone = remembered.filter((one) => existing.has(one.sessionId) || !isOurs(one));
  known.forgetDeletions(undone.map(({ sessionId }) => sessionId));
  known.noteDeletions(
    readMarks(stateDirectory, names).filter((one) => !existing.has(one.sessionId) && isOurs(one)),
    now,
  );
  const written = new Map<string, number>();
  for (const { sessionId, modifiedAt } of files)
    written.set(sessionId, Math.max(written.get(sessionId) ?? 0, modifiedAt));
  const isDue = ({ agentId, sessionId, deletedAt: at, seenAt }: SeenDeletion): boolean =>
    now - seenAt >= graceMs &&
    (rows.agents.has(agentId) || hasTranscriptFolder(stateDirectory, agentId)) &&
    (written.get(sessionId) ?? 0) <= at + SAME_MOMENT_MS;
  const stillDeleted = remembered.filter((one) => !undone.includes(one));
  return {
    due: stillDeleted.filter(isDue).map((one) => subjectOfDeletion(one, names)),
    waiting: stillDeleted.filter((one) => !isDue(one)),
  };
}

/**
 * The subject of a deletion: the session, and its conversation unless that continues, because a user who writes again
 * gets a conversation with the same key.
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

/** The marks of deletions, with their times and the keys of their conversations. */
function readMarks(stateDirectory: string, names: Names): Omit<SeenDeletion, "seenAt">[] {
  const { files, rows } = deletionMarks(names);
  const remembered = new Set(names.deletions.map(({ sessionId }) => sessionId));
  const findKey = ({ agentId, sessionId }: Pick<SeenDeletion, "agentId" | "sessionId">): string | undefined =>
    names.list.find((one) => one.agentId === agentId && one.sessionId === sessionId)?.sessionKey;
  return [
    ...files.map(({ agentId, sessionId, at }) => ({
      agentId,
      sessionId,
      deletedAt: at,
      sessionKey: findKey({ agentId, sessionId }),
    })),
    ...rows
      .filter(({ sessionId }) => !remembered.has(sessionId))
      .flatMap((one) => {
        const at = deletedAt(stateDirectory, one);
        return at === undefined ? [] : [{ ...one, deletedAt: at }];
      }),
  ];
}
