import { OUT_OF_TIME } from "../recovery/words.ts";
import { isObject } from "../transcript/json/json.ts";
import { sessionMemory } from "./base/memory.ts";
import { isEnabled } from "./base/switch.ts";
import { answersPerson, type Agent, type GuardContext, type GuardedSession, isTimeLimit } from "./openclaw/session.ts";
import { isBefore } from "../store/openclaw/release.ts";
import { textIn } from "./openclaw/stream-events.ts";
import { emitTo, listListeners, tellPerson } from "./tell-person.ts";

/** What a client takes for the end of the turn. */
const END = { type: "agent_end", messages: [] };
/** The first release that tells the user of its time limit itself. An unreadable release counts as a later one. */
const TELLS_ITSELF = 2026_02_26;
/** Longest time from the abort to a retry of the turn by OpenClaw, with another key or another model. */
export const MAX_RETRY_DELAY_MS = 10_000;

/**
 * Tells a person that OpenClaw has ended the turn at its time limit. Releases before {@link TELLS_ITSELF} stop
 * listening to the run right after the abort and end the turn without a word, so the message is sent inside the
 * `abort` event, in place of the missing answer. A channel delivers it unless OpenClaw retries the turn; a client of
 * the gateway shows it until such a retry, and is told that the turn has ended if there is none within
 * {@link MAX_RETRY_DELAY_MS}. Nothing is stored: the history stays as the run has left it.
 */
export function tellOutOfTime(session: GuardedSession, context: GuardContext): void {
  const { signal, sessionId } = context;
  if (!(signal instanceof AbortSignal) || !answersPerson(context) || !isBefore(context.release, TELLS_ITSELF)) return;
  const memory = sessionMemory(sessionId);
  const attempt = (memory.attempts ?? 0) + 1;
  memory.attempts = attempt;
  const tell = (): void => {
    if (!isEnabled() || !isTimeLimit(signal.reason)) return;
    const listeners = listListeners(session);
    tellPerson(listeners, [saidSoFar(session.agent), OUT_OF_TIME].filter(Boolean).join("\n\n"));
    setTimeout(() => {
      if (memory.attempts === attempt) emitTo(listeners, END);
    }, MAX_RETRY_DELAY_MS).unref();
  };
  signal.addEventListener("abort", tell, { once: true });
}

/** The words of the answer that is being written. */
function saidSoFar({ state }: Agent): string {
  const begun = state?.streamMessage;
  if (!isObject(begun) || begun.role !== "assistant" || !Array.isArray(begun.content)) return "";
  return textIn(begun.content as unknown[]);
}
