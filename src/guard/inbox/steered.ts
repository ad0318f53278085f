import { readTime } from "../../recovery/forms/times.ts";
import { isObject } from "../../transcript/json/json.ts";
import { logFailure } from "../base/log.ts";
import { isEnabled } from "../base/switch.ts";
import { noteUnanswered } from "../history/lost-messages.ts";
import { findLastEntry } from "../openclaw/entries.ts";
import { type GuardContext, type GuardedSession, isCompaction, isTimeLimit } from "../openclaw/session.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import { noteWaiting, settleWaiting } from "./waiting.ts";

/**
 * Has each message that is put into a running turn journalled until the transcript has it, in releases that have it in
 * memory alone: the turn may be stopped or killed before. What ends a turn does not say whether it is a stop or a
 * message that interrupts; either way the model and the person are told what was not read.
 */
export function watchSteering({ agent, sessionManager }: GuardedSession, context: GuardContext): void {
  const { prompt, sessionId, sessionKey, signal } = context;
  if (prompt === undefined || sessionId === undefined || sessionKey === undefined) return;
  if (isCompaction(context) || isIncognito(sessionKey)) return;
  const { steer } = agent;
  if (typeof steer !== "function" || !agent.subscribe) return;
  const isStopped = (): boolean => signal instanceof AbortSignal && signal.aborted && !isTimeLimit(signal.reason);
  const waiting = new Map<unknown, string>();
  agent.steer = function (this: unknown, message, ...rest: []) {
    try {
      if (isEnabled() && isObject(message) && message.role === "user")
        waiting.set(
          message,
          noteWaiting(
            sessionId,
            message,
            { isSteered: true, fate: () => (isStopped() ? "cancelled" : "interrupted") },
            sessionKey,
          ),
        );
    } catch (error) {
      logFailure("queue", error, "the message is lost when OpenClaw is killed");
    }
    return steer.call(this, message, ...rest);
  };
  agent.subscribe((event) => {
    if (!isObject(event) || event.type !== "message_end") return;
    const id = waiting.get(event.message);
    if (id === undefined) return;
    waiting.delete(event.message);
    // OpenClaw stores it at this event, unless the run is over. A stopped run may take it and ask no model with it.
    setImmediate(() => {
      const last = sessionManager && findLastEntry(sessionManager);
      if (isStopped() || !isObject(last?.message) || last.message.timestamp !== readTime(event.message)) return;
      noteUnanswered(sessionId, sessionManager);
      settleWaiting(sessionId, id);
    });
  });
}
