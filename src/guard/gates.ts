import { isIncognito } from "../store/sessions/session-coordinates.ts";
import { addAll } from "../transcript/json/list.ts";
import { repair } from "../transcript/repair.ts";
import { prepare } from "../wire/prepare.ts";
import { noteHealed } from "./base/healed.ts";
import { logFailure } from "./base/log.ts";
import { sessionMemory } from "./base/memory.ts";
import { emitChecked, exportCounts, type Healed } from "./base/observed.ts";
import { isEnabled } from "./base/switch.ts";
import { beforeOperation } from "./cycles/before-operation.ts";
import { guardStream } from "./guard-stream.ts";
import { withReadFields, withUnreadableCopied } from "./history/gated.ts";
import { withoutCommands } from "./history/commands.ts";
import { openOutcomes, withJournalled } from "./history/interrupted.ts";
import { keepSuperseded, withLostMessages } from "./history/lost-messages.ts";
import { storeOutcomes } from "./history/store-outcomes.ts";
import { withWholePath } from "./history/rewrite.ts";
import { keepUnanswered } from "./history/unanswered.ts";
import { withUnofferedAsText } from "./history/unoffered.ts";
import { appendMovedAgain } from "./inbox/append-again.ts";
import { noteEnded } from "./inbox/ended.ts";
import { noteSession } from "./inbox/first-session.ts";
import { noteUntaken } from "./inbox/note-untaken.ts";
import { inboxName } from "./inbox/waiting.ts";
import {
  isCompaction,
  loadedMessages,
  setMessages,
  type GuardContext,
  type GuardedSession,
} from "./openclaw/session.ts";
import { withEarlierRecovery } from "./recovery/earlier-recovery.ts";
import { settleFiles } from "./travel/settle-files.ts";
import { noteLoaded } from "./travel/start.ts";

/**
 * First half of the history gate: brings the stored history into OpenClaw's format, each result directly behind its
 * call. Runs before OpenClaw's own sanitising, which throws on some histories and drops real results from others.
 * Treatments that an earlier turn needed are applied again, and stored where possible. Never throws; a valid history
 * is not changed.
 */
export async function guardHistory(session: GuardedSession, context: GuardContext): Promise<void> {
  if (!isEnabled()) return;
  try {
    const loaded = loadedMessages(session);
    if (!loaded) return;
    const { agent, sessionManager } = session;
    const { api = "", sessionId, sessionKey } = context;
    const memory = sessionMemory(sessionId);
    // 0. Files of a move that a kill cut off: before anything reads the path.
    await settleFiles(session, context);
    // A compaction runs beside a turn, and that turn's own user message may be at the end of the path.
    const isTurn = !isCompaction(context);

    // 1. Restore what a kill removed from the history: the end of a path that was being rewritten, the user's last
    // message, messages that waited for a turn, and results that tools had returned. noteUntaken, and behind it
    // noteEnded, journal what withLostMessages then reads.
    const said = withoutCommands(withWholePath(sessionManager, loaded), sessionManager);
    if (isTurn) {
      // Lets the waiting first messages of this conversation pass.
      if (sessionKey !== undefined) noteSession(inboxName(sessionKey));
      // Else OpenClaw refuses such a message in every attempt.
      appendMovedAgain(sessionManager);
      // Questions of a run that this one replaces.
      keepSuperseded(context);
      // Accepted, and taken by no run.
      noteUntaken(context, memory, sessionManager, said.length > 0);
      // Sub-agents and commands that ended with a process.
      noteEnded(context, sessionManager);
    }
    const complete = isTurn ? withLostMessages(sessionId, sessionManager, keepUnanswered(sessionManager, said)) : said;
    const known = openOutcomes(sessionId, memory);
    // 2. Make the checkpoint. The results are stored before, so that a rollback to the checkpoint keeps them.
    if (isTurn && !isIncognito(sessionKey)) storeOutcomes(sessionManager, known.outcomes);
    await beforeOperation(session, context, memory);

    // 3. Repair, into the form that OpenClaw's sanitising and the API's adapter accept.
    const since = performance.now();
    const healed: Healed[] = [];
    const repaired = withUnreadableCopied(complete, (readable) =>
      memory.repairMemo.prepare(api, withJournalled(agent, sessionId, known, readable), {
        onRepairs: (repairs) => addAll(healed, repairs),
      }),
    );
    if (healed.length > 0) noteHealed(agent, "history", healed);
    emitChecked("load", sessionId, loaded.length, healed, since);

    // 4. Apply the treatments of earlier turns. A treatment can leave what the adapter does not accept.
    const recovered = await withEarlierRecovery(session, context, memory, repaired);
    const treated = withUnofferedAsText(session, context, recovered);
    const ready = withReadFields(treated === repaired ? repaired : prepare(api, treated));
    if (ready !== loaded) setMessages(session, ready);
    noteLoaded(agent, ready);
  } catch (error) {
    logFailure("history gate (load)", error, "the history is used unchanged");
  }
}

/**
 * Second half of the history gate, behind `limitHistoryTurns`: repairs the history, and puts the wire gate around every
 * model call of the run. Never throws; a valid history is not changed.
 */
export function guardSession(session: GuardedSession, context: GuardContext): void {
  if (!isEnabled()) return;
  exportCounts();
  try {
    const messages = loadedMessages(session);
    if (messages) {
      const since = performance.now();
      const { messages: valid, repairs } = repair(messages);
      if (repairs.length > 0) noteHealed(session.agent, "history", repairs);
      emitChecked("history", context.sessionId, messages.length, repairs, since);
      if (valid !== messages) setMessages(session, valid as unknown[]);
    }
  } catch (error) {
    logFailure("history gate", error, "the history is used unchanged");
  }
  try {
    guardStream(session, context);
  } catch (error) {
    logFailure("wire gate", error, "model calls continue unguarded");
  }
}
