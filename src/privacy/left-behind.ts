import { deletionMarks, sessionsThere, type Names } from "./names.ts";

/** A session or conversation of which this project keeps data and which OpenClaw's store no longer has. */
export interface LeftBehind {
  readonly sessionId?: string;
  readonly sessionKey?: string;
  /**
   * `deleted`: OpenClaw has deleted it. `reset`: its conversation was reset. `gone`: the reason is unknown, for example
   * a reset by an early OpenClaw, a removed agent, or a store that was moved.
   */
  readonly why: "deleted" | "reset" | "gone";
  readonly hasWords: boolean;
}

/**
 * Lists the data that is left behind, entries with message content first. Empty while a store cannot be read, because
 * its sessions would look deleted.
 */
export function leftBehind(names: Names): LeftBehind[] {
  const { sessions, problems, rows, indexed, renamed, ours, all, deletions } = names;
  if (problems.length > 0) return [];
  const there = sessionsThere(names);
  const keysThere = new Set([
    ...sessions.flatMap(({ sessionKey }) => sessionKey ?? []),
    ...rows.sessionKeys,
    ...indexed.keys(),
  ]);
  const marks = deletionMarks(names);
  const deleted = new Set([...deletions, ...marks.files, ...marks.rows].map(({ sessionId }) => sessionId));
  const deletedKeys = new Set([...deletions, ...marks.rows].flatMap(({ sessionKey }) => sessionKey ?? []));
  const reset = new Set(renamed.filter(({ reason }) => reason === "reset").map(({ sessionId }) => sessionId));
  const keyOf = new Map(
    all.flatMap(({ sessionId, sessionKey }) =>
      sessionId !== undefined && sessionKey !== undefined ? [[sessionId, sessionKey] as const] : [],
    ),
  );
  const found = new Map<string, LeftBehind>();
  for (const { sessionId, sessionKey = sessionId === undefined ? undefined : keyOf.get(sessionId), hasWords } of ours) {
    if (
      sessionId === undefined
        ? sessionKey === undefined || keysThere.has(sessionKey) || !isConversation(sessionKey)
        : there.has(sessionId)
    )
      continue;
    const name = sessionId ?? sessionKey!;
    const isDeleted = sessionId === undefined ? deletedKeys.has(name) : deleted.has(sessionId);
    const why = isDeleted ? "deleted" : sessionId !== undefined && reset.has(sessionId) ? "reset" : "gone";
    found.set(name, {
      ...(sessionId !== undefined && { sessionId }),
      ...(sessionKey !== undefined && { sessionKey }),
      why,
      hasWords: hasWords || (found.get(name)?.hasWords ?? false),
    });
  }
  return [...found.values()].toSorted((one, other) => Number(other.hasWords) - Number(one.hasWords));
}

/** Whether a name is the key of a conversation; other names belong to projects without one. */
function isConversation(key: string): boolean {
  return /^agent:[^:]+:./.test(key);
}
