import type { JsonObject } from "../../transcript/json/json.ts";
import type { SessionCoordinates } from "./session-coordinates.ts";

/** What marks the notes of this project among the entries of a session. */
export const NOTE_TYPE = "openclaw-integrity";

/** An entry of a session, without what it says. */
export interface EntryReference {
  readonly id: string;
  readonly type: string;
}

/** Words that a session is given for its agent: an entry that is in the context and is no message of anybody. */
export interface Note {
  readonly text: string;
  /** For programs: what the note is about. */
  readonly details: JsonObject;
  /** What marks it among the entries; {@link NOTE_TYPE} when left out. */
  readonly customType?: string;
}

/** How the place is moved. */
export interface MoveOptions {
  /** Also when OpenClaw's own record says that a run is going on (2026.8 and later; it is wrong after a crash). */
  readonly force?: boolean | undefined;
  /** The conversation that shall go on in the session, when none does any more (to 2026.7). */
  readonly sessionKey?: string | undefined;
}

/**
 * One session in OpenClaw's store, a file or rows, as it was when it was opened. Its entries form a tree, and the
 * conversation goes on behind one of them, the leaf. Nothing of it is ever deleted.
 */
export interface StoredSession extends SessionCoordinates {
  readonly kind: "file" | "rows";
  /** Where it is stored, for messages. */
  readonly place: string;
  /** What is wrong with the store of it, in sentences for a person. */
  readonly problems: readonly string[];
  /** Whether its conversation goes on in this session, and not in a younger one. */
  readonly isCurrent: boolean;
  /** Null in an empty session. */
  readonly leafEntryId: string | null;

  has(entryId: string): boolean;
  /** The entries from the first one to this one, or to the leaf; none for null. */
  path(toEntryId?: string | null): readonly EntryReference[];
  /** These entries in full, read one after the other. Throws `store-unreadable`. */
  read(entries: readonly EntryReference[]): Iterable<JsonObject>;
  /** Throws `session-busy` when a run is going on in it. */
  assertIdle(options?: MoveOptions): void;
  /**
   * Lets the conversation go on behind an earlier entry (null: before the first one), with a note there. One step:
   * after a kill it has been done or not. Resolves to the note's entry id when it is durable and OpenClaw can read the
   * session. Rejects with a StoreError, and then nothing was changed: `session-busy`, `session-missing`,
   * `not-writable`, `openclaw-failed`.
   */
  goOnFrom(toEntryId: string | null, note: Note, options?: MoveOptions): Promise<string>;
  /** Makes up for a `goOnFrom` that was killed before OpenClaw could read the session again. */
  settle(): Promise<void>;
}

/** A session that is there, not read yet. */
export interface FoundSession extends SessionCoordinates {
  /** Reads it. Throws a StoreError. */
  open(): StoredSession;
}

/** The sessions of an OpenClaw, whichever way it stores them. */
export interface SessionStore {
  /**
   * The session with this id, or the one that the conversation with this key goes on in; undefined when there is
   * neither.
   */
  find(idOrKey: string, agentId?: string): FoundSession | undefined;
}
