import { repairStored } from "../health/index.ts";
import type { Catalog, SessionSummary } from "../store/index.ts";
import type { Remedy } from "./checkup.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/** The names that the user gave on the command line. */
export interface Named {
  /** The only session that is examined. */
  readonly only?: string;
  readonly agentId?: string;
  /** All sessions that are examined; several may have the same id. */
  readonly sessions: readonly SessionSummary[];
}

/**
 * Finds what removes the faults of a session, by a dry run of the repair. Changes nothing. Rejects with the StoreErrors
 * of reading the session.
 */
export async function remedyFor(
  catalog: Catalog,
  session: SessionSummary,
  named: Named,
  stateDirectory: string,
): Promise<Remedy> {
  const { action } = await repairStored(catalog, session, { stateDirectory, dryRun: true, root: noOpenClaw });
  if (action === "earlier") return { by: "none" };
  return action === "left"
    ? { by: "patch" }
    : { by: "repair", command: ownCommand("sessions repair", wordsFor(session, named)) };
}

function noOpenClaw(): never {
  throw new Error("a dry run needs no OpenClaw");
}

/** Returns the argument and options that identify this session and no other on the command line. */
function wordsFor(
  session: SessionSummary,
  { only, agentId, sessions }: Named,
): { argument: string; options: string[] } {
  const agent = agentId === undefined ? [] : ["--agent", agentId];
  if (only !== undefined) return { argument: only, options: agent };
  const { sessionId, kind, place } = session;
  const isOne =
    sessions.filter((other) => other.sessionId === sessionId || other.sessionKey === sessionId).length === 1;
  if (isOne) return { argument: sessionId, options: agent };
  return kind === "file"
    ? { argument: place, options: [] }
    : { argument: sessionId, options: ["--agent", session.agentId] };
}
