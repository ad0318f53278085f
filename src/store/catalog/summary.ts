import type { Refusal } from "../sessions/record-fault.ts";
import type { SessionCoordinates } from "../sessions/session-coordinates.ts";

/** A stored session in a list, without any content of its messages. */
export interface SessionSummary extends SessionCoordinates {
  readonly kind: "file" | "rows";
  /** The transcript file, or the agent's database. */
  readonly place: string;
  /** Whether the session is the current one of its conversation. */
  readonly isCurrent: boolean;
  /** When something was last written, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** Unchanged as long as the rows are. */
  readonly watermark: string;
  /** Why the rows cannot be read here, as text for users; missing when they can. */
  readonly unread?: string;
  /** The rows cannot be read because OpenClaw has moved the session into its cold archive, where no turn needs them. */
  readonly isPutAway?: true;
}

/**
 * Whether a conversation has left this session of OpenClaw's database for another one: no turn is sent from it, and
 * OpenClaw's own code refuses to write into it ("session writer claim changed", 2026.9.6).
 */
export function isEarlier({ kind, sessionKey, isCurrent }: SessionSummary): boolean {
  return kind === "rows" && sessionKey !== undefined && !isCurrent;
}

/** Identity of a session across stores: sessions in different stores can have the same id. */
export function sessionIdentity({ place, sessionId }: Pick<SessionSummary, "place" | "sessionId">): string {
  return `${place}\u0000${sessionId}`;
}

/** The session id in an {@link sessionIdentity} string. */
export function sessionIdIn(identity: string): string {
  return identity.slice(identity.lastIndexOf("\u0000") + 1);
}

/** The rows of a session in the order in which they were written. */
export interface StoredRows {
  readonly rows: readonly unknown[];
  /** How many lines are not JSON. OpenClaw skips them. */
  readonly unreadable: number;
  /** Length in bytes of a last line that was cut off; 0 when none was. */
  readonly torn: number;
  /** OpenClaw's index of the rows (since 2026.8) is behind the last row, or is marked to be rebuilt. */
  readonly hasOutdatedIndex?: boolean;
  /** What OpenClaw keeps beside the rows makes it refuse every message. */
  readonly refusal?: Refusal;
}

/** Reads a store of sessions without OpenClaw and without a lock, even while a gateway uses it. */
export interface Catalog {
  /**
   * Lists all sessions or those of one agent, the most recently written first; `problems` are sentences for users about
   * agents whose stores could not be read.
   */
  list(agentId?: string): { readonly sessions: readonly SessionSummary[]; readonly problems: readonly string[] };
  /** Reads the rows of a session. Throws `store-unreadable`, and `session-missing` when it was deleted since. */
  read(session: SessionSummary): StoredRows;
  close(): void;
}
