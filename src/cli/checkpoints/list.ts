import type { Checkpoint, Journal } from "../../journal/index.ts";
import { agentOfKey, type SessionStore } from "../../store/index.ts";
import { timeOf } from "../../base/time.ts";
import { checkpointReason } from "../../store/checkpoints/checkpoint-reason.ts";
import { openStateJournal, openStore } from "./state.ts";
import { runAsync, type CommonOptions, type Outcome } from "../run.ts";
import { endProcess } from "../with-openclaw.ts";

interface ListOptions extends CommonOptions {
  readonly session?: string;
  readonly agent?: string;
  readonly limit: number;
}

/** `openclaw-integrity checkpoints list` */
export async function listCommand(options: ListOptions): Promise<void> {
  const { session, agent } = options;
  // The journal identifies sessions by id only.
  const needsStore = agent !== undefined || (session !== undefined && agentOfKey(session) !== undefined);
  await runAsync(options, async () => {
    const journal = openStateJournal({ readOnly: true });
    if (journal === undefined) return outcomeOf([], 0);
    try {
      const store = needsStore ? await openStore(options) : undefined;
      const found = checkpointsOf(journal, sessionIdOf(store, session, agent)).filter(
        ({ sessionId }) => agent === undefined || store?.find(sessionId, agent) !== undefined,
      );
      return outcomeOf(found.slice(0, options.limit), found.length);
    } finally {
      journal.close();
    }
  });
  if (needsStore) endProcess();
}

/** Returns the checkpoints, the youngest first. */
function checkpointsOf(journal: Journal, sessionId: string | undefined): readonly Checkpoint[] {
  return journal.checkpoints.list(sessionId).toReversed();
}

function sessionIdOf(
  store: SessionStore | undefined,
  session: string | undefined,
  agent: string | undefined,
): string | undefined {
  return session === undefined ? undefined : (store?.find(session, agent)?.sessionId ?? session);
}

function outcomeOf(checkpoints: readonly Checkpoint[], total: number): Outcome {
  const rest = total - checkpoints.length;
  return {
    data: { checkpoints: checkpoints.map(withoutSnapshot), total },
    lines: [
      ...(total === 0 ? ["no checkpoints"] : checkpoints.map(lineOf)),
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

function lineOf(checkpoint: Checkpoint): string {
  const { id, timestamp, messageIndex, sessionId, rolledBackAt } = checkpoint;
  const back = rolledBackAt === undefined ? "" : `, rolled back to at ${timeOf(rolledBackAt)}`;
  return `${id}  ${timeOf(timestamp)}  ${checkpointReason(checkpoint)}, ${messageIndex} messages, session ${sessionId}${back}`;
}
