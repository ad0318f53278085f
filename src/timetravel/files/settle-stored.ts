import { describeError } from "../../base/coded-error.ts";
import type { Catalog, SessionSummary } from "../../store/index.ts";
import { repairEntries } from "../../transcript/entries.ts";
import { type PendingMove, type Settled, settleMoves, type WorkspaceStore } from "../../workspace/index.ts";
import { historyOfRows } from "../history-of-rows.ts";
import { isMadeIn } from "./places.ts";

/** Moves that were settled, and what is in the way of others, in sentences for people. */
export interface SettledStored {
  readonly settled: readonly Settled[];
  readonly problems: readonly string[];
}

/**
 * Settles the moves of files that a kill had cut off in a workspace, by what OpenClaw's store has: where the
 * conversation has moved, the files follow; otherwise they are brought back. Never rejects for a single workspace.
 */
export async function settleStored(catalog: Catalog, store: WorkspaceStore): Promise<SettledStored> {
  if (!store.mayHavePending) return { settled: [], problems: [] };
  const problems: string[] = [];
  try {
    const { sessions, problems: unlisted } = catalog.list();
    const settled = await store.use((open) =>
      settleMoves(open, (move) => {
        try {
          const made = isMadeStored(catalog, sessions, move);
          // A session that could not be listed may have moved.
          return made || unlisted.length === 0 ? made : undefined;
        } catch (error) {
          problems.push(
            `the files of a move in ${store.workspace} wait: its session cannot be read (${describeError(error)})`,
          );
          return undefined;
        }
      }),
    );
    return { settled, problems };
  } catch (error) {
    return { settled: [], problems: [`the files of a move in ${store.workspace} wait: ${describeError(error)}`] };
  }
}

/** A session that OpenClaw has deleted has not moved. A conversation may go on in a copy of the session. */
function isMadeStored(
  catalog: Catalog,
  sessions: readonly SessionSummary[],
  { intentId, owner }: PendingMove,
): boolean {
  return sessions
    .filter(
      ({ sessionId, sessionKey }) =>
        sessionId === owner.sessionId || (owner.sessionKey !== undefined && sessionKey === owner.sessionKey),
    )
    .some((session) => {
      const { rows } = catalog.read(session);
      const { entries } = repairEntries(rows, { sessionId: session.sessionId, cwd: "" });
      return isMadeIn(historyOfRows(entries, { overResets: true }), intentId);
    });
}
