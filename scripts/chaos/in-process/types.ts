import type { TranscriptEntry } from "../../../harness/openclaw/index.ts";
import type { RawTurn, Session } from "../../../harness/openclaw/types.ts";

/** What OpenClaw says of a run while it goes on. */
export interface AgentEvent {
  stream: string;
  data?: { phase?: unknown; toolCallId?: unknown };
}

/** Gets each of them, before OpenClaw goes on. */
export type Told = (event: AgentEvent) => void;

/**
 * OpenClaw in this process, several conversations at once. The adapters of harness/openclaw do one thing after the other
 * and hear nothing of the run, which is what most tests want.
 */
export interface Drive {
  store(session: Session): Promise<void>;
  send(session: Session, message: string, timeoutMs: number, signal: AbortSignal): Promise<RawTurn>;
  read(session: Session): Promise<TranscriptEntry[]>;
}
