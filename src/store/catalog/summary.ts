import type { SessionCoordinates } from "../sessions/session-coordinates.ts";

/** A stored session as a list shows it: nothing of what was said. */
export interface SessionSummary extends SessionCoordinates {
  readonly kind: "file" | "rows";
  /** The transcript file, or the agent's database. */
  readonly place: string;
  /** Whether its conversation goes on in this session, and not in a younger one. */
  readonly isCurrent: boolean;
  /** When something was last written, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** As long as it is the same, so are the rows. */
  readonly watermark: string;
  /** Why the rows are not to be had here, in words for a person; missing when they are. */
  readonly unread?: string;
  /**
   * The rows are not to be had because OpenClaw has put the session into its cold archive, where no turn needs them.
   */
  readonly isPutAway?: true;
}

/** What tells a session from every other: an id may be that of several, in other stores. */
export function identityOf({ place, sessionId }: Pick<SessionSummary, "place" | "sessionId">): string {
  return `${place}\u0000${sessionId}`;
}

/** The session id in an identity. */
export function sessionIdIn(identity: string): string {
  return identity.slice(identity.lastIndexOf("\u0000") + 1);
}

/** The rows of a session in the order they were written. */
export interface StoredRows {
  readonly rows: readonly unknown[];
  /** Lines that are no JSON. OpenClaw passes over them. */
  readonly unreadable: number;
  /** Length of a last line that was cut off, in bytes. */
  readonly torn: number;
  /** OpenClaw's index of the rows (since 2026.8) does not reach to the last of them, or is marked to be rebuilt. */
  readonly hasOutdatedIndex?: boolean;
}

/** Where a store of sessions is read, without OpenClaw and without a lock: also while a gateway works on it. */
export interface Catalog {
  /**
   * All sessions, the youngest first, or those of one agent; and which agents' stores could not be read, in sentences
   * for a person.
   */
  list(agentId?: string): { readonly sessions: readonly SessionSummary[]; readonly problems: readonly string[] };
  /** Throws `store-unreadable`, and `session-missing` when it was deleted since. */
  read(session: SessionSummary): StoredRows;
  close(): void;
}
