import type { JsonObject } from "../../transcript/json/json.ts";
import type { Forked } from "./forked.ts";
import type { SessionCoordinates } from "./session-coordinates.ts";

/** The `customType` of entries that this project appends to a session. */
export const NOTE_TYPE = "openclaw-integrity";

/** An entry of a session without its content. */
export interface EntryReference {
  readonly id: string;
  readonly type: string;
}

/** Text for the agent, appended to a session as an entry of its own: part of the context, but no message. */
export interface Note {
  readonly text: string;
  /** Data for programs about the note. */
  readonly details: JsonObject;
  /** The entry's `customType`; default {@link NOTE_TYPE}. */
  readonly customType?: string;
}

/** Options for moving the leaf of a session. */
export interface MoveOptions {
  /**
   * Moves it even when OpenClaw's record shows a running turn (2026.8 and later; the record is wrong after a crash).
   */
  readonly force?: boolean | undefined;
  /**
   * Key of the conversation that is to continue in the session, when it is no conversation's current one (to 2026.7).
   */
  readonly sessionKey?: string | undefined;
}

/**
 * One session in OpenClaw's store, a file or rows, as it was when it was opened. Its entries form a tree, and the
 * conversation continues after the leaf. Entries are never deleted.
 */
export interface StoredSession extends SessionCoordinates {
  readonly kind: "file" | "rows";
  /** Where the session is stored, as text for messages. */
  readonly place: string;
  /** What is wrong with the session's store, in sentences for users. */
  readonly problems: readonly string[];
  /** Whether the session is the current one of its conversation. */
  readonly isCurrent: boolean;
  /** Id of the leaf; null in an empty session. */
  readonly leafEntryId: string | null;

  has(entryId: string): boolean;
  /** The entries from the first one to this one, by default to the leaf; none for null. */
  path(toEntryId?: string | null): readonly EntryReference[];
  /** Reads these entries in full, one after the other. Throws `store-unreadable`. */
  read(entries: readonly EntryReference[]): Iterable<JsonObject>;
  /** Throws `session-busy` when a turn is running in the session. */
  assertIdle(options?: MoveOptions): void;
  /**
   * Continues the conversation after an earlier entry (null: before the first one), with a note there. Atomic: after a
   * kill all of it is done or nothing. Resolves to the note's entry id when the note is on the disk and OpenClaw can
   * read the session. Rejects with a StoreError, and then nothing was changed: `session-busy`, `session-missing`,
   * `not-writable`, `openclaw-failed`.
   */
  goOnFrom(toEntryId: string | null, note: Note, options?: MoveOptions): Promise<string>;
  /**
   * Makes a session of its own from the path to an entry, with a note at its end; this one is only read. A kill leaves
   * nothing, or an empty session that says what it is. Rejects with a StoreError: `session-busy`, `not-writable`,
   * `openclaw-unfit`, `openclaw-failed`.
   */
  forkAt(toEntryId: string, note: Note, label: string, options?: MoveOptions): Promise<Forked>;
  /** Completes a `goOnFrom` that was killed before OpenClaw could read the session again. */
  settle(): Promise<void>;
}

/** A session that exists and has not been read yet. */
export interface FoundSession extends SessionCoordinates {
  /** Reads the session. Throws a StoreError. */
  open(): StoredSession;
}

/** The sessions of an OpenClaw, in files or in a database. */
export interface SessionStore {
  /**
   * Finds the session with this id, or the current session of the conversation with this key; undefined when there is
   * neither.
   */
  find(idOrKey: string, agentId?: string): FoundSession | undefined;
}
