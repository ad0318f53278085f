import { emit } from "../../observe/index.ts";
import { treatAll } from "../../recovery/remembered.ts";
import { isStorable } from "../../recovery/forms/treatment.ts";
import { logFailure, logLine } from "../base/log.ts";
import type { SessionMemory } from "../base/memory.ts";
import { storeTreatments } from "../history/store-treatments.ts";
import { type GuardContext, type GuardedSession, isCompaction } from "../openclaw/session.ts";
import { completeReset } from "./reset-session.ts";

/**
 * Returns the history with the reset or the treatments that an earlier turn's recovery decided on; the same list when
 * there are none. Storable treatments are written to the store, so that later loads need not apply them again, but not
 * during a compaction, which runs beside a turn.
 */
export async function withEarlierRecovery(
  session: GuardedSession,
  context: GuardContext,
  memory: SessionMemory,
  messages: unknown[],
): Promise<unknown[]> {
  const { sessionId } = context;
  const anew = completeReset(session, memory, messages);
  if (anew) return anew;
  if (memory.treatments.length === 0) return messages;
  const { treatments } = memory;
  try {
    const rewritten = isCompaction(context)
      ? 0
      : await storeTreatments(session.sessionManager, treatments.filter(isStorable));
    if (rewritten > 0) {
      emit("l0:session:healed", () => ({ sessionId, messages: rewritten }));
      logLine(`store healed session=${sessionId ?? "?"} messages rewritten on a new branch: ${rewritten}`);
      memory.treatments = treatments.filter((treatment) => !isStorable(treatment));
    }
  } catch (error) {
    logFailure("store", error, "the history is treated on every load instead");
  }
  return treatAll(messages, treatments);
}
