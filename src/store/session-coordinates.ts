/** Which session, in OpenClaw's own terms. */
export interface SessionCoordinates {
  readonly agentId: string;
  readonly sessionId: string;
  /** The conversation it belongs to, as far as OpenClaw still knows that. */
  readonly sessionKey: string | undefined;
}

/** The agent whose conversation a key names: `agent:<id>:...`. */
export function agentOfKey(key: string): string | undefined {
  return /^agent:([^:]+):/.exec(key)?.[1];
}
