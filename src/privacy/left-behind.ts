import { deletionMarks, sessionsThere, type Names } from "./names.ts";

/** A session, or a conversation, that something of ours is about and that OpenClaw's store does not have. */
export interface LeftBehind {
  readonly sessionId?: string;
  readonly sessionKey?: string;
  /**
   * `deleted`: OpenClaw has deleted it. `reset`: its conversation was begun anew. `gone`: nothing tells why: an early
   * OpenClaw's reset, an agent that was removed, a store that lies elsewhere now.
   */
  readonly why: "deleted" | "reset" | "gone";
  readonly hasWords: boolean;
}

/** Those with words first. Nothing while a store cannot be read: what is in it would be taken for gone. */
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

/** Other names are those of projects that are no conversation's. */
function isConversation(key: string): boolean {
  return /^agent:[^:]+:./.test(key);
}
