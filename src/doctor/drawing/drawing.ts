import type { Examination } from "../../health/index.ts";
import type { Checkpoint } from "../../journal/index.ts";
import type { MovedBy } from "../../timetravel/records.ts";

/**
 * A stored conversation as it is drawn: the entries of the present path, and the paths that were left, each at the
 * entry where it leaves.
 */
export interface Drawing {
  readonly examination: Examination;
  readonly line: readonly DrawnItem[];
  /** Paths that leave before the first entry. */
  readonly before: readonly Departure[];
  /** Number of paths that were left, including those that are not drawn. */
  readonly departures: number;
  readonly departuresDrawn: number;
  /** Checkpoints whose entry is no longer stored. */
  readonly lost: readonly Checkpoint[];
  /** Checkpoints before the first entry. */
  readonly first: readonly Checkpoint[];
  /** Notes of rollbacks and repairs in the transcript. */
  readonly notes: readonly DrawnNote[];
}

/** One item of a drawing. */
export type DrawnItem =
  | { readonly kind: "entry"; readonly entry: DrawnEntry }
  /**
   * A run of unremarkable entries; `entries` is empty where they are many. `isSent` is false for entries before a
   * summary.
   */
  | {
      readonly kind: "collapsed";
      readonly contents: Contents;
      readonly entries: readonly DrawnEntry[];
      readonly isSent: boolean;
    }
  /** Entries that are left out to keep the page small. */
  | { readonly kind: "omitted"; readonly contents: Contents };

/** Counts of several entries. */
export interface Contents {
  readonly entries: number;
  readonly messages: number;
  /** Message numbers; undefined where none of the entries is sent. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly users: number;
  readonly assistants: number;
  readonly results: number;
  /** Tools with their number of calls, the most frequent first. */
  readonly tools: readonly (readonly [name: string, calls: number])[];
  readonly faults: number;
}

/** An entry of a transcript, without its text. */
export interface DrawnEntry {
  readonly id: string;
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
  /**
   * Position among the messages that a model is sent, from 1; undefined for an entry that is not a message or not sent.
   */
  readonly number: number | undefined;
  readonly role: string;
  readonly parts: readonly DrawnPart[];
  /** Faults of the message as a whole. */
  readonly faults: readonly string[];
  /** Faults of the entry's row, which is corrected when it is loaded. */
  readonly rowFaults: readonly string[];
  /** False for entries before a summary or a reset. */
  readonly isSent: boolean;
  /** The turn failed; OpenClaw does not send it. */
  readonly isFailed: boolean;
  readonly isLeaf: boolean;
  readonly note: DrawnNote | undefined;
  /** Moves that left this entry, each with the id of the entry that it arrived with. */
  readonly moves: readonly DrawnMove[];
  /** The first words of the message; set on request only. */
  readonly words: string | undefined;
  readonly checkpoints: readonly Checkpoint[];
  /** Paths that leave after this entry. */
  readonly departures: readonly Departure[];
}

/** A block of a message, without its text. */
export interface DrawnPart {
  readonly kind: "text" | "thinking" | "call" | "result" | "image" | "other";
  /** The stored type of the block; `result` for every result. */
  readonly type: string;
  /** The length of the message in characters. */
  readonly length: number;
  readonly tool?: string;
  readonly callId?: string;
  readonly faults: readonly string[];
  readonly link?: CallLink;
  /** The result reports an error. */
  readonly isError?: boolean;
  /** The result is a placeholder for one that is missing. */
  readonly isInvented?: boolean;
}

/** The link between a call and its results. */
export interface CallLink {
  /** `12a`: the first call of message 12. */
  readonly label: string;
  /** Message numbers, from 1. */
  readonly call: number;
  readonly results: readonly number[];
}

/** A path that the conversation left. */
export interface Departure {
  /** Id of the last entry of the path. */
  readonly tipId: string;
  readonly cause: "rollback" | "repair" | "summary" | "move" | "elsewhere";
  /** Set for a rollback: the checkpoint that it returned to. */
  readonly checkpointId?: string;
  /** Set for a move: the last move that left this path. */
  readonly move?: DrawnMove;
  readonly messages: number;
  readonly entries: number;
  /** When its last entry was written. */
  readonly at: number | undefined;
  /**
   * Number of faults of the path's messages that the path it leaves does not have; undefined where it was not examined.
   * Faults of rows are faults of no path: a repair corrects them where they are.
   */
  readonly faults: number | undefined;
  readonly items: readonly DrawnItem[];
}

/** A note of openclaw-integrity in a transcript. `arrival` and `aborted` are notes of time travel. */
export interface DrawnNote {
  readonly at: number | undefined;
  readonly kind: "rollback" | "repair" | "kept" | "arrival" | "aborted";
  readonly checkpointId?: string;
  /** Set for an arrival: who moved, the entry that was left, and the number of characters of the carryover. */
  readonly by?: MovedBy;
  readonly from?: string | null;
  readonly length?: number;
}

/** A time travel move that left an entry. */
export interface DrawnMove {
  readonly by: MovedBy;
  readonly arrivalId: string;
}
