import {
  isForgotten,
  noParts,
  readParts,
  storedParts,
  type RefusedParts,
} from "../../recovery/search/refused-parts.ts";
import type { Core } from "../base/core.ts";
import type { Session } from "../base/session.ts";

/** Returns what searches have found of a session's history on a route; nothing of what was found a week ago. */
export function knownParts(core: Core, session: Session, route: string): RefusedParts {
  const memory = core.memory(session);
  memory.refusedParts ??= storedIn(core, session);
  const known = memory.refusedParts.find((each) => each.route === route);
  return known && !isForgotten(known, Date.now()) ? known : noParts(route);
}

/** Records what was found, in memory and, where that can be written, in the journal. */
export async function foundParts(core: Core, session: Session, found: RefusedParts): Promise<void> {
  const memory = core.memory(session);
  memory.refusedParts = [...(memory.refusedParts ?? []).filter(({ route }) => route !== found.route), found];
  const { what, value } = storedParts(found);
  await core.attempt("What a search has found", () =>
    value === undefined
      ? core.journal.learned.forget("session", session.id, what)
      : core.journal.learned.put("session", session.id, what, value, Date.now()),
  );
}

/** Records that a route has taken the history without what was found: a search that has found nothing is over. */
export async function noteTaken(core: Core, session: Session, route: string): Promise<void> {
  const memory = core.memory(session);
  if (memory.search?.route === route && !memory.search.search.finding) delete memory.search;
  const { noHalf, ...known } = knownParts(core, session, route);
  if (noHalf) await foundParts(core, session, known);
}

function storedIn(core: Core, session: Session): RefusedParts[] {
  try {
    return core.journal.learned.of("session", session.id).flatMap((fact) => readParts(fact) ?? []);
  } catch {
    // A journal that cannot be read is reported where it is written.
    return [];
  }
}
