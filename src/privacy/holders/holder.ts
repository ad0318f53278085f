/** Whose data. */
export interface Subject {
  /** Sessions, by id. */
  readonly sessionIds: ReadonlySet<string>;
  /** Conversations that are gone as a whole: what belongs to a conversation and not to one of its sessions. */
  readonly sessionKeys: ReadonlySet<string>;
}

/** What is kept. */
export type HoldingKind =
  /** A copy of a transcript. */
  | "archive"
  /** What a kill left of a copy or a transcript that was being written. */
  | "unfinished_file"
  /** A note of where a path led (2026.8 and later); no words. */
  | "path_note"
  | "incident_file"
  | "tool_calls"
  | "unanswered_messages"
  | "checkpoints"
  | "incidents"
  | "node_hashes"
  | "moves"
  | "names"
  | "recorded_work"
  | "scan_results"
  | "session_list"
  /** A database that was damaged and set aside: what is in it cannot be told apart. */
  | "damaged_database";

/** Something of ours about a subject. */
export interface Holding {
  readonly kind: HoldingKind;
  /** The file, or the schema of a server. */
  readonly place: string;
  /** How many rows or files. */
  readonly count: number;
  /** About how many bytes they take. */
  readonly bytes: number;
  /** Whether there are words of a conversation in it. */
  readonly hasWords: boolean;
}

/** One place of ours. Both methods throw CodedErrors. */
export interface Holder {
  /** What is there about the subject. Changes nothing. */
  find(subject: Subject): Promise<readonly Holding[]> | readonly Holding[];
  /** Throws when it cannot be erased just now, because somebody works with it. Changes nothing. */
  check?(subject: Subject): Promise<void>;
  /**
   * Deletes it; why something is left, in sentences. Doing it again does no harm and finishes what a kill has cut off.
   */
  erase(subject: Subject): Promise<readonly string[]> | readonly string[];
}

/** The holdings that are any. */
export function some(holdings: readonly Holding[]): Holding[] {
  return holdings.filter(({ count }) => count > 0);
}
