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
/** The first release seen to tell of its time limit itself: 2026.2.26. A release that is not known is a later one. */
const TELLS_ITSELF = 2026_02_26;
/** OpenClaw may try the turn again, with another key or another model. It begins within this time, then. */
export const TRIED_AGAIN_MS = 10_000;

/**
 * Tells a person that OpenClaw has ended the turn at its time limit. Early releases stop listening to the run the
 * moment after, and end the turn without a word. So this is said within the abort, in place of the answer that does not
 * come: a channel gets it unless OpenClaw tries the turn again, a client of the gateway sees it until then. Nothing is
 * stored: the history stays as the run has left it.
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
    }, TRIED_AGAIN_MS).unref();
  };
  signal.addEventListener("abort", tell, { once: true });
}

/** The words of the answer that is being written. */
function saidSoFar({ state }: Agent): string {
  const begun = state?.streamMessage;
  if (!isObject(begun) || begun.role !== "assistant" || !Array.isArray(begun.content)) return "";
  return textIn(begun.content as unknown[]);
}
