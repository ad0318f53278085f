import { join } from "node:path";

/** A session, identified as OpenClaw does. */
export interface SessionCoordinates {
  readonly agentId: string;
  readonly sessionId: string;
  /** Key of the session's conversation, if OpenClaw still has it. */
  readonly sessionKey: string | undefined;
}

/**
 * Whether OpenClaw (since 2026.8) keeps this conversation in memory only; none of its content may be written anywhere.
 */
export function isIncognito(key: string | undefined): boolean {
  return key !== undefined && /^agent:[^:]+:[^:]+:incognito-/i.test(key.trim());
}

/** The agent in the key of a conversation, `agent:<id>:...`; undefined for a key of another form. */
export function agentOfKey(key: string): string | undefined {
  return /^agent:([^:]+):/.exec(key)?.[1];
}

/** The database of an agent (since 2026.8); the file need not be there. */
export function agentDatabase(stateDirectory: string, agentId: string): string {
  return join(stateDirectory, "agents", agentId, "agent", "openclaw-agent.sqlite");
}
