/** The parts of OpenClaw's session objects that the guard uses. */
import { isObject } from "../../transcript/json/json.ts";

/** The type of the guard's own messages among those that are neither the user's nor the model's. */
export const OWN_TYPE = "openclaw-integrity";

/** A model call as OpenClaw's agent makes it. */
export type StreamFunction = (model: unknown, context: unknown, options?: unknown) => unknown;

/** OpenClaw's agent. */
export interface Agent {
  streamFn?: StreamFunction;
  state?: { messages?: unknown[]; tools?: unknown; model?: unknown; streamMessage?: unknown };
  setModel?: (model: object) => void;
  replaceMessages?: (messages: unknown[]) => void;
  followUp?: (message: unknown) => void;
  steer?: (message: unknown) => void;
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
  appendCustomMessageEntry?: (
    customType: string,
    content: string | readonly object[],
    display: boolean,
    details?: unknown,
  ) => unknown;
}

/** OpenClaw's session as the inserted line passes it: `activeSession` of an attempt, `session` of a compaction. */
export interface GuardedSession {
  messages?: unknown[];
  agent: Agent;
  sessionManager?: SessionManager;
  settingsManager?: { getCompactionSettings?: () => unknown };
  subscribe?: (listener: (event: unknown) => unknown) => unknown;
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
  /** The channel of the message, or what OpenClaw calls an occasion of its own; in releases before 2026.8. */
  messageProvider?: string;
  /** The group or channel that the message is from; undefined for a direct message. */
  groupId?: string;
  /** How the reply is cut into blocks: set where a run answers a message or a heartbeat, in no other run. */
  blockReplyBreak?: string;
  /** What the run answers, in releases before 2026.8. */
  prompt?: unknown;
  /** What ends the run, in releases before 2026.8. */
  signal?: unknown;
  /** The run that this attempt is of, where OpenClaw tells it beside the next field (2026.9). */
  runId?: string;
  /** The message of an earlier run that this one has taken off the path, and the prompt, which may have it. */
  orphanRepair?: unknown;
  /** How long OpenClaw waits for a request of a compaction, in milliseconds, in releases with such a timer. */
  compactionTimeoutMs?: unknown;
}

/** True for the reason with which OpenClaw's time limit ends a run; a person's stop has another one, or none. */
export function isTimeLimit(reason: unknown): boolean {
  return isObject(reason) && reason.name === "TimeoutError";
}

/** What OpenClaw's own occasions have in place of a channel, in each release before 2026.4. */
const OCCASIONS: ReadonlySet<string> = new Set(["heartbeat", "exec-event", "cron-event"]);

/** True where the run is a heartbeat or answers an event of OpenClaw's, so that nobody waits for words. */
export function isOccasion({ messageProvider }: GuardContext): boolean {
  return OCCASIONS.has(messageProvider ?? "");
}

/**
 * True where it is certain that the run answers a direct message of a person: not a group's, and neither a heartbeat,
 * an event, a cron job, a flush of the memory, a sub-agent nor a program. False where the inserted line does not say.
 */
export function answersPerson(context: GuardContext): boolean {
  const { messageProvider, groupId, blockReplyBreak, sessionKey = "" } = context;
  if (!messageProvider || blockReplyBreak === undefined || isOccasion(context)) return false;
  return groupId === undefined && !/:(group|channel|cron|hook|subagent|acp):/.test(`${sessionKey}:`);
}

/** True where the inserted line is in a compaction, whose answers no person reads. */
export function isCompaction({ point }: GuardContext): boolean {
  return point?.startsWith("compaction") ?? false;
}

/** True where the session manager of this release has all of these methods. */
export function hasMethods<Manager extends SessionManager>(
  manager: SessionManager | undefined,
  needed: readonly (keyof Manager & string)[],
): manager is Manager {
  const methods = manager as Record<string, unknown> | undefined;
  return methods !== undefined && needed.every((name) => typeof methods[name] === "function");
}

/** Returns the history that the run will use; undefined where there is none. */
export function loadedMessages(session: GuardedSession): unknown[] | undefined {
  const messages = session.agent.state?.messages ?? session.messages;
  return Array.isArray(messages) ? messages : undefined;
}

/** True up to 2026.4.2, by a method that was removed when the agent began to wait for its listeners. */
export function isEarly(agent: Agent): boolean {
  return typeof agent.replaceMessages === "function";
}

/** Replaces the history as OpenClaw itself does: by `replaceMessages` up to 2026.4.2, in the state since. */
export function setMessages(session: GuardedSession, messages: unknown[]): void {
  if (typeof session.agent.replaceMessages === "function") session.agent.replaceMessages(messages);
  else if (session.agent.state) session.agent.state.messages = messages;
}
