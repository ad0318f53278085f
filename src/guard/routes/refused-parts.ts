import { KnownParts } from "../../recovery/search/known-parts.ts";
import { hasJournal, withJournal } from "../base/journal.ts";
import type { SessionMemory } from "../base/memory.ts";

/** Returns what searches have found of a session's history. A session without an id has its memory alone. */
export function knownParts(sessionId: string | undefined, memory: SessionMemory): KnownParts {
  return new KnownParts(memory, {
    // No journal is made only to be asked.
    read: () =>
      (sessionId !== undefined && hasJournal() && withJournal(({ learned }) => learned.read("session", sessionId))) ||
      [],
    write(what, value) {
      if (sessionId === undefined) return;
      withJournal(({ learned }) =>
        value === undefined
          ? learned.forget("session", sessionId, what)
          : learned.put("session", sessionId, what, value, Date.now()),
      );
    },
  });
}
