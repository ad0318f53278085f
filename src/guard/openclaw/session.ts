/** The parts of OpenClaw's session objects that the guard uses. */

/** The type of the guard's own messages among those that are neither the user's nor the model's. */
export const OWN_TYPE = "openclaw-integrity";

/** A model call as OpenClaw's agent makes it. */
export type StreamFunction = (model: unknown, context: unknown, options?: unknown) => unknown;

/** OpenClaw's agent. */
export interface Agent {
  streamFn?: StreamFunction;
  state?: { messages?: unknown[]; tools?: unknown; model?: unknown };
  setModel?: (model: object) => void;
  replaceMessages?: (messages: unknown[]) => void;
  followUp?: (message: unknown) => void;
  subscribe?: (listener: (event: unknown) => unknown) => unknown;
}

/**
 * OpenClaw's session manager: the transcript as an append-only tree. Methods that a release does not have are
 * undefined.
 */
export interface SessionManager {
  getSessionFile?: () => unknown;
  getBranch?: () => readonly unknown[];
  getEntries?: () => readonly unknown[];
  getLeafId?: () => string | null;
  getEntry?: (id: string) => unknown;
  resetLeaf?: () => void;
  branch?: (entryId: string) => void;
  appendResetBoundary?: (reason: string) => unknown;
  appendCustomMessageEntry?: (customType: string, content: string, display: boolean, details?: unknown) => unknown;
}

/** OpenClaw's session as the inserted line passes it: `activeSession` of an attempt, `session` of a compaction. */
export interface GuardedSession {
  messages?: unknown[];
  agent: Agent;
  sessionManager?: SessionManager;
  settingsManager?: { getCompactionSettings?: () => unknown };
}

/**
 * What the inserted line tells the guard about its place: the patch point (a compaction has its own), the session (key
 * of memory and journal), the conversation (its key enables time travel), the API (which rules hold), and the release.
 */
export interface GuardContext {
  point?: string;
  sessionId?: string;
  sessionKey?: string;
  provider?: string;
  modelId?: string;
  api?: string;
  release?: string;
}

/** True where the inserted line is in a compaction, whose answers no person reads. */
export function isCompaction({ point }: GuardContext): boolean {
  return point?.startsWith("compaction") ?? false;
}

/** Returns the history that the run will use; undefined where there is none. */
export function messagesOf(session: GuardedSession): unknown[] | undefined {
  const messages = session.agent.state?.messages ?? session.messages;
  return Array.isArray(messages) ? messages : undefined;
}

/** Replaces the history as OpenClaw itself does: by `replaceMessages` up to 2026.4.2, in the state since. */
export function setMessages(session: GuardedSession, messages: unknown[]): void {
  if (typeof session.agent.replaceMessages === "function") session.agent.replaceMessages(messages);
  else if (session.agent.state) session.agent.state.messages = messages;
}
