import { FITTED, isOutdated, readFitted, refitted, type FittedSession } from "../../recovery/size/fitted.ts";
import { hasJournal, withJournal } from "../base/journal.ts";
import { routeMemory, type SessionMemory } from "../base/memory.ts";

/**
 * Returns what a route takes of a session's requests; undefined where nothing is known that still counts. Never throws.
 */
export function findFitted(
  sessionId: string | undefined,
  memory: SessionMemory,
  route: string,
  declared: number,
): FittedSession | undefined {
  const known = loaded(sessionId, memory);
  if (known?.route !== route) return undefined;
  const { answered } = routeMemory(route);
  if (!isOutdated(known, { declared, answered, now: Date.now() })) return known;
  keepFitted(sessionId, memory, undefined);
  return undefined;
}

/** Records what a route takes, in memory and in the journal. A session without an id has its memory alone. */
export function noteFitted(
  sessionId: string | undefined,
  memory: SessionMemory,
  next: Omit<FittedSession, "isTold" | "at">,
): void {
  keepFitted(sessionId, memory, refitted(loaded(sessionId, memory), { ...next, at: Date.now() }));
}

/** Records that the user was informed. */
export function noteTold(sessionId: string | undefined, memory: SessionMemory): void {
  if (memory.fitted && !memory.fitted.isTold) keepFitted(sessionId, memory, { ...memory.fitted, isTold: true });
}

function loaded(sessionId: string | undefined, memory: SessionMemory): FittedSession | undefined {
  if (memory.fittedRead !== true && sessionId !== undefined && hasJournal())
    memory.fitted ??= (withJournal(({ learned }) => learned.read("session", sessionId)) ?? [])
      .map(readFitted)
      .find((each) => each !== undefined);
  memory.fittedRead = true;
  return memory.fitted;
}

function keepFitted(sessionId: string | undefined, memory: SessionMemory, fitted: FittedSession | undefined): void {
  memory.fitted = fitted;
  if (sessionId === undefined) return;
  withJournal(({ learned }) =>
    fitted
      ? learned.put("session", sessionId, FITTED, fitted, fitted.at)
      : learned.forget("session", sessionId, FITTED),
  );
}
