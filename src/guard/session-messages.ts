import type { GuardedSession } from "./session.ts";

/** The history that a run goes on with; undefined where there is none. */
export function messagesOf(session: GuardedSession): unknown[] | undefined {
  const messages = session.agent.state?.messages ?? session.messages;
  return Array.isArray(messages) ? messages : undefined;
}

/** As OpenClaw itself does it: `replaceMessages` up to 2026.4.2, the state's own field since. */
export function setMessages(session: GuardedSession, messages: unknown[]): void {
  if (typeof session.agent.replaceMessages === "function") session.agent.replaceMessages(messages);
  else if (session.agent.state) session.agent.state.messages = messages;
}
