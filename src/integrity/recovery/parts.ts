import { KnownParts } from "../../recovery/search/known-parts.ts";
import type { Core } from "../base/core.ts";
import type { Session } from "../base/session.ts";

/** Returns what searches have found of a session's history: in memory and, where that can be used, in the journal. */
export function knownParts(core: Core, session: Session): KnownParts {
  const { learned } = core.journal;
  return new KnownParts(core.memory(session), {
    read() {
      try {
        return learned.read("session", session.id);
      } catch {
        // A journal that cannot be read is reported where it is written.
        return [];
      }
    },
    write(what, value) {
      void core.attempt("What a search has found", () =>
        value === undefined
          ? learned.forget("session", session.id, what)
          : learned.put("session", session.id, what, value, Date.now()),
      );
    },
  });
}
