import { withJournal } from "../base/journal.ts";
import { askedHere } from "../base/memory.ts";
import { isEnabled } from "../base/switch.ts";
import { type GuardContext, isCompaction, isTimeLimit } from "../openclaw/session.ts";

/**
 * Has the next turn keep a question that a person has stopped before it was answered: OpenClaw removes it from the
 * path, as it does before it asks a question again, and no run asks a stopped question again. Only where OpenClaw passes
 * what ends the run; later releases keep such a question themselves.
 */
export function keepStoppedQuestion(context: GuardContext): void {
  const { signal, sessionId } = context;
  if (!(signal instanceof AbortSignal) || sessionId === undefined || isCompaction(context)) return;
  const keep = (): void => {
    // Behind its time limit OpenClaw asks again, with another key or another model.
    if (!isEnabled() || isTimeLimit(signal.reason)) return;
    for (const { entryId } of withJournal(({ unanswered }) => unanswered.of(sessionId)) ?? [])
      askedHere.delete(entryId);
  };
  signal.addEventListener("abort", keep, { once: true });
}
