import { isObject } from "../../transcript/json/json.ts";
import { isEnabled } from "../base/switch.ts";
import type { CompactingSession } from "./compaction.ts";

/**
 * Keeps OpenClaw from going on, behind a compaction, with a conversation that ends with an answer: nothing is open
 * there. OpenClaw 2026.6 tries it before a message whose predecessor was answered from more than the model's window,
 * which ends the turn with an error, and waits a minute for what it has announced.
 */
export function guardContinuation(session: CompactingSession): void {
  const { runAutoCompaction: inner } = session;
  if (typeof inner !== "function") return;
  session.runAutoCompaction = async (...given: unknown[]): Promise<unknown> => {
    const { emit } = session;
    const isOwn = Object.hasOwn(session, "emit");
    if (isEnabled() && typeof emit === "function")
      session.emit = (event: unknown, ...more: unknown[]): unknown =>
        emit.call(
          session,
          isObject(event) && event.willRetry === true ? { ...event, willRetry: isOpen(session.agent) } : event,
          ...more,
        );
    try {
      const goesOn = (await inner.apply(session, given)) as unknown;
      return goesOn === true && isEnabled() ? isOpen(session.agent) : goesOn;
    } finally {
      if (isOwn) session.emit = emit;
      else delete session.emit;
    }
  };
}

/** True where an agent can go on: its newest message is a question, a result or an error, or another one waits. */
function isOpen(agent: CompactingSession["agent"]): boolean {
  const newest = agent.state?.messages?.at(-1);
  const isAnswered = isObject(newest) && newest.role === "assistant" && newest.stopReason !== "error";
  return !isAnswered || agent.hasQueuedMessages?.() === true;
}
