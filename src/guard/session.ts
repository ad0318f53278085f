import { isObject } from "../transcript/json.ts";
import { repair } from "../transcript/repair.ts";
import { prepare } from "../wire/prepare.ts";
import { logFailure } from "./log.ts";
import { isEnabled } from "./switch.ts";
import { guardStream, noteHealed, type Agent } from "./stream.ts";

/** What the patch hands over of OpenClaw's session: `activeSession` of an attempt, `session` of a compaction. */
export interface GuardedSession {
  messages?: unknown[];
  agent: Agent & { state?: { messages?: unknown[] }; replaceMessages?: (messages: unknown[]) => void };
}

/** Where the statement stands and what it serves; only for log lines. */
export interface GuardContext {
  point?: string;
  sessionId?: string;
  sessionKey?: string;
  provider?: string;
  modelId?: string;
  api?: string;
}

/**
 * Stands before OpenClaw's own sanitising, which throws on some histories and drops real results from others: brings the stored
 * history into OpenClaw's format, every result behind its call. Never throws; a healthy history is not touched.
 */
export function guardHistory(session: GuardedSession, context: GuardContext): void {
  if (!isEnabled()) return;
  try {
    const messages = messagesOf(session);
    if (!messages) return;
    const prepared = prepare(context.api ?? "", messages, { onRepairs: (repairs) => noteHealed(session.agent, "history", repairs) });
    const joinable = withJoinableUsers(prepared);
    if (joinable !== messages) setMessages(session, joinable);
  } catch (error) {
    logFailure("history gate (load)", error, "the history goes on unchanged");
  }
}

/**
 * Stands behind `limitHistoryTurns`: the history gate, `validateToolResultPairing`, and the wire gate around every model call
 * of the run. Never throws; a healthy history is not touched.
 */
export function guardSession(session: GuardedSession, context: GuardContext): void {
  if (!isEnabled()) return;
  try {
    const messages = messagesOf(session);
    if (messages) {
      const { messages: valid, repairs } = repair(messages);
      if (repairs.length > 0) noteHealed(session.agent, "history", repairs);
      if (valid !== messages) setMessages(session, valid as unknown[]);
    }
  } catch (error) {
    logFailure("history gate", error, "the history goes on unchanged");
  }
  try {
    guardStream(session.agent, context);
  } catch (error) {
    logFailure("wire gate", error, "model calls go on unguarded");
  }
}

function isUser(message: unknown): boolean {
  return isObject(message) && message.role === "user";
}

/**
 * Neighbouring user messages with their texts in blocks: OpenClaw 2026.2 joins such neighbours for Anthropic and loses every
 * text that is a plain string.
 */
function withJoinableUsers(messages: unknown[]): unknown[] {
  let changed: unknown[] | undefined;
  messages.forEach((message, at) => {
    if (!isObject(message) || message.role !== "user" || typeof message.content !== "string") return;
    if (!isUser(messages[at - 1]) && !isUser(messages[at + 1])) return;
    changed ??= messages.slice();
    changed[at] = { ...message, content: [{ type: "text", text: message.content }] };
  });
  return changed ?? messages;
}

function messagesOf(session: GuardedSession): unknown[] | undefined {
  const messages = session.agent.state?.messages ?? session.messages;
  return Array.isArray(messages) ? messages : undefined;
}

/** As OpenClaw itself does it: `replaceMessages` up to 2026.4.2, the state's own field since. */
function setMessages(session: GuardedSession, messages: unknown[]): void {
  if (typeof session.agent.replaceMessages === "function") session.agent.replaceMessages(messages);
  else if (session.agent.state) session.agent.state.messages = messages;
}
