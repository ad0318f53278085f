/** The sessions and conversations whose data is meant. */
export interface Subject {
  /** Ids of sessions. */
  readonly sessionIds: ReadonlySet<string>;
  /** Keys of whole conversations: selects the data that belongs to a conversation and not to one of its sessions. */
  readonly sessionKeys: ReadonlySet<string>;
}

/** Kinds of data that this project keeps. */
export type HoldingKind =
  /** A copy of a transcript. */
  | "archive"
  /** A partly written copy or transcript that a kill has left. */
  | "unfinished_file"
  /** A manifest that records a session's leaf (2026.8 and later), without message content. */
  | "path_note"
  /** A copy of OpenClaw's record of a conversation (2026.8 and later), which has titles and parts of answers. */
  | "record_copy"
  | "incident_file"
  | "tool_calls"
  | "unanswered_messages"
  | "checkpoints"
  | "incidents"
  /** What was learned of the form that a session needs. */
  | "learned"
  | "node_hashes"
  | "moves"
  | "names"
  /** Versions of files that the session's agent changed. */
  | "workspace_files"
  | "recorded_work"
  | "scan_results"
  | "session_list"
  /** A database that was damaged and set aside; its rows cannot be assigned to sessions. */
  | "damaged_database";

/** Data of one kind that this project keeps about a subject. */
export interface Holding {
  readonly kind: HoldingKind;
  /** Path of the file, or name of a server's schema. */
  readonly place: string;
  /** Number of rows or files. */
  readonly count: number;
  /** Approximate size in bytes. */
  readonly bytes: number;
  /** Whether the data contains text of a conversation. */
  readonly hasWords: boolean;
}

/** One store of this project. All methods throw CodedErrors. */
export interface Holder {
  /** Lists the data about the subject. Changes nothing. */
  find(subject: Subject): Promise<readonly Holding[]> | readonly Holding[];
  /** Throws when the data cannot be erased now, because it is in use. Changes nothing. */
  check?(subject: Subject): Promise<void>;
  /**
   * Deletes the data about the subject and returns why some of it is left, in sentences. Can be repeated, also to
   * finish an erasure that a kill has interrupted.
   */
  erase(subject: Subject): Promise<readonly string[]> | readonly string[];
}

/** Returns the holdings that are not empty. */
export function nonEmpty(holdings: readonly Holding[]): Holding[] {
  return holdings.filter(({ count }) => count > 0);
}

/** Returns the ids and the keys of a subject, each as one JSON parameter: SQLite limits the number of parameters. */
export function subjectValues({ sessionIds, sessionKeys }: Subject): [ids: string, keys: string] {
  return [JSON.stringify([...sessionIds]), JSON.stringify([...sessionKeys])];
}
