import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import { logFailure } from "../base/log.ts";
import type { SessionMemory } from "../base/memory.ts";
import { type GuardContext, type GuardedSession, isCompaction } from "../openclaw/session.ts";
import { checkpointTurn, commitCheckpoint } from "./checkpoints.ts";

/** Makes the checkpoint that a failed turn or compaction can be rolled back to. Never rejects. */
export async function beforeOperation(
  { sessionManager }: GuardedSession,
  context: GuardContext,
  memory: SessionMemory,
): Promise<void> {
  const { sessionId, sessionKey } = context;
  if (sessionId === undefined || isIncognito(sessionKey)) return;
  const operation = isCompaction(context) ? "compaction" : "api_call";
  try {
    const checkpoint = await checkpointTurn(sessionId, sessionManager, memory, operation);
    if (operation === "api_call") memory.turnCheckpoint = checkpoint;
    // A compaction is a single append by OpenClaw, and no inserted line reports its end to the guard.
    else commitCheckpoint(sessionId, checkpoint, operation);
  } catch (error) {
    logFailure("checkpoint", error, "the turn continues without one");
  }
}
