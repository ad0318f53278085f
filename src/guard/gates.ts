import { emit } from "../observe/index.ts";
import { treatAll } from "../recovery/rungs.ts";
import { isStorable } from "../recovery/treatment.ts";
import { isIncognito } from "../store/sessions/session-coordinates.ts";
import { addAll } from "../transcript/json/list.ts";
import { repair } from "../transcript/repair.ts";
import { prepare } from "../wire/prepare.ts";
import { logFailure, logLine } from "./base/log.ts";
import { isCompaction, messagesOf, setMessages, type GuardContext, type GuardedSession } from "./openclaw/session.ts";
import { checkpointTurn, commitCheckpoint } from "./cycles/checkpoints.ts";
import { openOutcomes, withJournalled } from "./history/interrupted.ts";
import { memoryOf, type SessionMemory } from "./base/memory.ts";
import { withLostMessages } from "./history/lost-messages.ts";
import { keepUnanswered } from "./history/unanswered.ts";
import { makeUpReset } from "./recovery/reset-session.ts";
import { healStore } from "./history/store-heal.ts";
import { storeOutcomes } from "./history/store-outcomes.ts";
import { noteLoaded } from "./travel/start.ts";
import { isEnabled } from "./base/switch.ts";
import { readably, withJoinableUsers } from "./history/gated.ts";
import { noteHealed } from "./base/healed.ts";
import { emitChecked, exportCounts, type Healed } from "./base/observed.ts";
import { guardStream } from "./guard-stream.ts";

/**
 * Stands before OpenClaw's own sanitising, which throws on some histories and drops real results from others: brings
 * the stored history into OpenClaw's format, every result behind its call. What a provider once took only after a
 * treatment is treated, and stored so. Never throws; a healthy history is not touched.
 */
export async function guardHistory(session: GuardedSession, context: GuardContext): Promise<void> {
  if (!isEnabled()) return;
  try {
    const messages = messagesOf(session);
    if (!messages) return;
    const { api = "", sessionId } = context;
    const memory = memoryOf(sessionId);
    // A compaction runs beside a turn, whose own message may be at the end of the path.
    const kept = isCompaction(context)
      ? messages
      : withLostMessages(sessionId, session.sessionManager, keepUnanswered(session.sessionManager, messages));
    const known = openOutcomes(sessionId, memory, kept);
    // Before the checkpoint: what a turn is taken back to has the results.
    if (!isCompaction(context) && !isIncognito(context.sessionKey))
      storeOutcomes(session.sessionManager, known.outcomes);
    await beforeOperation(session, context, memory);
    const since = performance.now();
    const healed: Healed[] = [];
    const repaired = readably(kept, (readable) => {
      const told = withJournalled(session.agent, sessionId, known, readable);
      return prepare(api, told, { onRepairs: (repairs) => addAll(healed, repairs) });
    });
    if (healed.length > 0) noteHealed(session.agent, "history", healed);
    emitChecked("load", sessionId, messages.length, healed, since);
    const treated = await treatedBefore(session, context, memory, repaired);
    const prepared = treated === repaired ? repaired : prepare(api, treated);
    const joinable = withJoinableUsers(prepared);
    if (joinable !== messages) setMessages(session, joinable);
    noteLoaded(session.agent, joinable);
  } catch (error) {
    logFailure("history gate (load)", error, "the history goes on unchanged");
  }
}

/** Keeps the place that a failed turn or compaction can be taken back to. */
async function beforeOperation(
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
    // What a compaction does is one append of OpenClaw's, and nothing behind it tells the guard of its end.
    else commitCheckpoint(sessionId, checkpoint, operation);
  } catch (error) {
    logFailure("checkpoint", error, "the turn goes on without");
  }
}

/**
 * The history after what the recovery found out about it in an earlier turn; stored, so that it need not be found out
 * again.
 */
async function treatedBefore(
  session: GuardedSession,
  context: GuardContext,
  memory: SessionMemory,
  messages: unknown[],
): Promise<unknown[]> {
  const { sessionId } = context;
  const anew = makeUpReset(session, memory, messages);
  if (anew) return anew;
  if (memory.treatments.length === 0) return messages;
  const { treatments } = memory;
  try {
    const rewritten = isCompaction(context)
      ? 0
      : await healStore(session.sessionManager, treatments.filter(isStorable));
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

/**
 * Stands behind `limitHistoryTurns`: the history gate, `validateToolResultPairing`, and the wire gate around every
 * model call of the run. Never throws; a healthy history is not touched.
 */
export function guardSession(session: GuardedSession, context: GuardContext): void {
  if (!isEnabled()) return;
  exportCounts();
  try {
    const messages = messagesOf(session);
    if (messages) {
      const since = performance.now();
      const { messages: valid, repairs } = repair(messages);
      if (repairs.length > 0) noteHealed(session.agent, "history", repairs);
      emitChecked("history", context.sessionId, messages.length, repairs, since);
      if (valid !== messages) setMessages(session, valid as unknown[]);
    }
  } catch (error) {
    logFailure("history gate", error, "the history goes on unchanged");
  }
  try {
    guardStream(session, context);
  } catch (error) {
    logFailure("wire gate", error, "model calls go on unguarded");
  }
}
