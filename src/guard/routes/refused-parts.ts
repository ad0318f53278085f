import {
  isForgotten,
  noParts,
  readParts,
  storedParts,
  withoutFound,
  type RefusedParts,
} from "../../recovery/search/refused-parts.ts";
import { hasJournal, withJournal } from "../base/journal.ts";
import type { SessionMemory } from "../base/memory.ts";

/** Returns what searches have found of a session's history on a route; read from the journal at the first use. */
export function refusedPartsOf(sessionId: string | undefined, memory: SessionMemory, route: string): RefusedParts {
  memory.refusedParts ??=
    sessionId === undefined || !hasJournal()
      ? []
      : (withJournal(({ learned }) => learned.of("session", sessionId)) ?? []).flatMap((fact) => readParts(fact) ?? []);
  return memory.refusedParts.find((each) => each.route === route) ?? noParts(route);
}

/** Records what was found, in memory and in the journal. A session without an id has its memory alone. */
export function foundParts(sessionId: string | undefined, memory: SessionMemory, found: RefusedParts): void {
  const others = (memory.refusedParts ?? []).filter(({ route }) => route !== found.route);
  memory.refusedParts = [...others, found];
  if (sessionId === undefined) return;
  const { what, value } = storedParts(found);
  withJournal(({ learned }) =>
    value === undefined
      ? learned.forget("session", sessionId, what)
      : learned.put("session", sessionId, what, value, Date.now()),
  );
}

/** Records that a route has taken the history without what was found: a search that has found nothing is over. */
export function noteTaken(sessionId: string | undefined, memory: SessionMemory, route: string): void {
  if (memory.search?.route === route && !memory.search.search.finding) memory.search = undefined;
  const { noHalf, ...known } = refusedPartsOf(sessionId, memory, route);
  if (noHalf) foundParts(sessionId, memory, known);
}

/** Forgets what was found of a history that is archived. */
export function forgetParts(sessionId: string | undefined, memory: SessionMemory): void {
  for (const { route } of memory.refusedParts ?? []) foundParts(sessionId, memory, noParts(route));
  memory.search = undefined;
}

/** Returns the messages as the route takes them, by what was found; the same list where nothing was. */
export function withoutRefusedParts(
  sessionId: string | undefined,
  memory: SessionMemory,
  route: string,
  messages: unknown[],
): unknown[] {
  const known = refusedPartsOf(sessionId, memory, route);
  if (!isForgotten(known, Date.now())) return withoutFound(messages, known);
  foundParts(sessionId, memory, noParts(route));
  return messages;
}
