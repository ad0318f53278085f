import type { Checkpoint, Journal } from "../../journal/index.ts";
import { findSummaryOrFile, StoreError, type Catalog } from "../../store/index.ts";
import { formatTime } from "../../base/time.ts";
import { checkpointReason } from "../../store/checkpoints/checkpoint-reason.ts";
import { openStateJournal } from "./state.ts";
import { withCatalog } from "../sessions/catalog.ts";
import { runAsync, type CommonOptions, type Outcome } from "../run.ts";

interface ListOptions extends CommonOptions {
  readonly session?: string;
  readonly agent?: string;
  readonly limit: number;
}

/** `openclaw-integrity checkpoints list` */
export async function listCommand(options: ListOptions): Promise<void> {
  const { agent } = options;
  await runAsync(options, () =>
    withCatalog((catalog) => {
      const journal = openStateJournal({ readOnly: true });
      try {
        const sessionId = findSessionId(catalog, journal, options);
        const { sessions, problems } = agent === undefined ? { sessions: [], problems: [] } : catalog.list(agent);
        const ofAgent = new Set(sessions.map((session) => session.sessionId));
        const found = listCheckpoints(journal, sessionId).filter(
          (checkpoint) => agent === undefined || ofAgent.has(checkpoint.sessionId),
        );
        return { ...toOutcome(found.slice(0, options.limit), found.length), warnings: problems };
      } finally {
        journal?.close();
      }
    }, agent),
  );
}

/** Returns the checkpoints, the youngest first. */
function listCheckpoints(journal: Journal | undefined, sessionId: string | undefined): readonly Checkpoint[] {
  return journal?.checkpoints.list(sessionId).toReversed() ?? [];
}

/** Finds the session by the names that all commands take. The journal may know a session that OpenClaw has deleted. */
function findSessionId(
  catalog: Catalog,
  journal: Journal | undefined,
  { session, agent }: ListOptions,
): string | undefined {
  if (session === undefined) return undefined;
  try {
    return findSummaryOrFile(catalog, session, agent).sessionId;
  } catch (error) {
    const isMissing = error instanceof StoreError && error.code === "session-missing";
    if (isMissing && agent === undefined && listCheckpoints(journal, session).length > 0) return session;
    throw error;
  }
}

function toOutcome(checkpoints: readonly Checkpoint[], total: number): Outcome {
  const rest = total - checkpoints.length;
  return {
    data: { checkpoints: checkpoints.map(withoutSnapshot), total },
    lines: [
      ...(total === 0 ? ["no checkpoints"] : checkpoints.map(formatCheckpoint)),
      ...(rest > 0 ? [`and ${rest} older ${rest === 1 ? "one" : "ones"}; --limit shows more`] : []),
    ],
  };
}

/** Leaves out the stored messages, which do not belong in a list. */
function withoutSnapshot({
  snapshot,
  ...checkpoint
}: Checkpoint): Omit<Checkpoint, "snapshot"> & { readonly hasSnapshot: boolean } {
  return { ...checkpoint, hasSnapshot: snapshot !== undefined };
}

function formatCheckpoint(checkpoint: Checkpoint): string {
  const { id, timestamp, messageIndex, sessionId, rolledBackAt } = checkpoint;
  const back = rolledBackAt === undefined ? "" : `, rolled back to at ${formatTime(rolledBackAt)}`;
  return (
    `${id}  ${formatTime(timestamp)}  ${checkpointReason(checkpoint)}, ${messageIndex} messages, ` +
    `session ${sessionId}${back}`
  );
}
