/** Whose data a purge is about: from the words of a person to ids of sessions and keys of conversations. */
import { joinSome } from "../base/join-some.ts";
import { storeError } from "../store/errors.ts";
import { isShortenedId } from "../store/catalog/shortened-id.ts";
import { agentOfKey } from "../store/sessions/session-coordinates.ts";
import { parseSessionId } from "../store/sessions/session-index.ts";
import type { Subject } from "./holders/holder.ts";
import type { Names, StoreNow } from "./names.ts";

/** A subject, and the keys of its sessions' conversations that continue in other sessions and so are not part of it. */
export interface NamedSubject extends Subject {
  readonly keptKeys: readonly string[];
}

const MAX_NAMED = 10;

/**
 * Finds the subject with an id, the key of a conversation, a transcript file, the unique beginning of an id or key, or
 * a name as reports show it, whether OpenClaw still has it or not. Subjects of unfinished purges that overlap with it
 * are added. Undefined when nothing matches. Throws `session-taken` when several do.
 */
export function findSubject(name: string, names: Names): NamedSubject | undefined {
  const which = fullName(name.endsWith(".jsonl") ? parseSessionId(name) : name, names);
  if (which === undefined) return undefined;
  const isSession = names.all.some(({ sessionId }) => sessionId === which);
  const { sessionIds, sessionKeys, keptKeys } = isSession ? ofSession(which, names) : ofConversation(which, names);
  const begun = names.begun.filter(
    (purge) =>
      purge.sessionIds.some((id) => sessionIds.has(id)) || purge.sessionKeys.some((key) => sessionKeys.has(key)),
  );
  const ids = new Set([...sessionIds, ...begun.flatMap((purge) => purge.sessionIds)]);
  // A conversation that has continued since is not part of the earlier purge.
  const keys = begun.flatMap((purge) => purge.sessionKeys).filter((key) => !goesOnElsewhere(key, ids, names));
  return {
    sessionIds: ids,
    sessionKeys: new Set([...sessionKeys, ...keys]),
    keptKeys: keptKeys.filter((key) => !keys.includes(key)),
  };
}

function fullName(which: string, { all }: Names): string | undefined {
  const known = new Set(
    all.flatMap(({ sessionId, sessionKey }) => [sessionId, sessionKey]).filter((one) => one !== undefined),
  );
  if (known.has(which)) return which;
  const found = [...known].filter((one) => one === `agent:${agentOfKey(one)}:${which}` || isShortenedId(one, which));
  if (found.length < 2) return found[0];
  throw storeError("session-taken", {
    expected: `the id of one session, or the key of one conversation, that is shown as ${which} or begins so`,
    found: joinSome(found.toSorted(), MAX_NAMED),
    todo: "Name it in full. Nothing was changed.",
  });
}

/** The subject of one session, with its conversation unless that continues in another session. */
export function ofSession(sessionId: string, names: Names): NamedSubject {
  const keys = new Set(names.all.flatMap((one) => (one.sessionId === sessionId ? (one.sessionKey ?? []) : [])));
  const kept = [...keys].filter((key) => goesOnElsewhere(key, new Set([sessionId]), names));
  return {
    sessionIds: new Set([sessionId]),
    sessionKeys: new Set([...keys].filter((key) => !kept.includes(key))),
    keptKeys: kept,
  };
}

/** The subject of a conversation with all its sessions, except those in which another conversation continues. */
export function ofConversation(sessionKey: string, names: Names): NamedSubject {
  const taken = new Set(
    names.sessions.flatMap((one) => (one.isCurrent && one.sessionKey !== sessionKey ? [one.sessionId] : [])),
  );
  const ids = names.all.flatMap((one) =>
    one.sessionKey === sessionKey && one.sessionId !== undefined && !taken.has(one.sessionId) ? [one.sessionId] : [],
  );
  return { sessionIds: new Set(ids), sessionKeys: new Set([sessionKey]), keptKeys: [] };
}

/** Whether the conversation continues in another session than these. */
export function goesOnElsewhere(
  sessionKey: string,
  sessionIds: ReadonlySet<string>,
  { sessions, rows, indexed }: StoreNow,
): boolean {
  const current = sessions.filter((one) => one.isCurrent && one.sessionKey === sessionKey);
  if (current.length > 0) return current.some(({ sessionId }) => !sessionIds.has(sessionId));
  // A conversation of which nothing is stored yet.
  return (
    rows.sessionKeys.has(sessionKey) || (indexed.has(sessionKey) && !sessionIds.has(indexed.get(sessionKey) ?? ""))
  );
}
