/** Which session, in OpenClaw's own terms. */
export interface SessionCoordinates {
  readonly agentId: string;
  readonly sessionId: string;
  /** The conversation it belongs to, as far as OpenClaw still knows that. */
  readonly sessionKey: string | undefined;
}

/**
 * Whether a conversation is one that OpenClaw (since 2026.8) keeps in memory only: nothing of what is said in it is to
 * be written anywhere.
 */
export function isIncognito(key: string | undefined): boolean {
  return key !== undefined && /^agent:[^:]+:[^:]+:incognito-/i.test(key.trim());
}

/** The agent whose conversation a key names: `agent:<id>:...`. */
export function agentOfKey(key: string): string | undefined {
  return /^agent:([^:]+):/.exec(key)?.[1];
}
