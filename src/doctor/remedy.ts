import { repairStored } from "../health/index.ts";
import type { Catalog, SessionSummary } from "../store/index.ts";
import type { Remedy } from "./checkup.ts";
import { commandOf } from "./shell-word.ts";

/** How the person who looks has named what is looked at. */
export interface Named {
  /** The one session. */
  readonly only?: string;
  readonly agentId?: string;
  /** All sessions that are looked at: an id may be that of several. */
  readonly sessions: readonly SessionSummary[];
}

/**
 * What mends the faults of a session: a dry run of the repair tells, nothing is changed. Rejects with the StoreErrors
 * of reading it. Issue 6, item 4.
 */
export async function remedyFor(
  catalog: Catalog,
  session: SessionSummary,
  named: Named,
  stateDirectory: string,
): Promise<Remedy> {
  const { action } = await repairStored(catalog, session, { stateDirectory, dryRun: true, root: noOpenClaw });
  return action === "left"
    ? { by: "patch" }
    : { by: "repair", command: commandOf(["sessions", "repair"], ...wordsFor(session, named)) };
}

function noOpenClaw(): never {
  throw new Error("a dry run asks for no OpenClaw");
}

/** What names this session and no other to the command line. */
function wordsFor(session: SessionSummary, { only, agentId, sessions }: Named): [argument: string, options: string[]] {
  const agent = agentId === undefined ? [] : ["--agent", agentId];
  if (only !== undefined) return [only, agent];
  const { sessionId, kind, place } = session;
  const isOne =
    sessions.filter((other) => other.sessionId === sessionId || other.sessionKey === sessionId).length === 1;
  if (isOne) return [sessionId, agent];
  return kind === "file" ? [place, []] : [sessionId, ["--agent", session.agentId]];
}
