import type { Examination } from "../../health/index.ts";
import type { Checkpoint } from "../../journal/index.ts";
import type { MovedBy } from "../../timetravel/records.ts";

/**
 * A stored conversation as it is drawn: a line of entries, and the paths that were left, each where it leaves the line.
 */
export interface Drawing {
  readonly examination: Examination;
  readonly line: readonly DrawnItem[];
  /** Paths that leave before the first entry. */
  readonly before: readonly Departure[];
  /** How many paths were left, those that are not drawn included. */
  readonly departures: number;
  readonly departuresDrawn: number;
  /** Checkpoints whose entry is no longer stored. */
  readonly lost: readonly Checkpoint[];
  /** Checkpoints before the first entry. */
  readonly first: readonly Checkpoint[];
  /** What the transcript itself says of its mending: notes of rollbacks. */
  readonly notes: readonly DrawnNote[];
}

/** One line of a drawing. */
export type DrawnItem =
  | { readonly kind: "entry"; readonly entry: DrawnEntry }
  /**
   * Entries with nothing to tell about them, and themselves where they are few; `isSent` false for those before a
   * summary.
   */
  | {
      readonly kind: "stretch";
      readonly contents: Contents;
      readonly entries: readonly DrawnEntry[];
      readonly isSent: boolean;
    }
  /** What is left out for the length of the page. */
  | { readonly kind: "omitted"; readonly contents: Contents };

/** What is in several entries together. */
export interface Contents {
  readonly entries: number;
  readonly messages: number;
  /** Message numbers; undefined where none of them is sent. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly users: number;
  readonly assistants: number;
  readonly results: number;
  /** Tools by how often they were called, the most frequent first. */
  readonly tools: readonly (readonly [name: string, calls: number])[];
  readonly faults: number;
}

/** An entry of a transcript without what it says. */
export interface DrawnEntry {
  readonly id: string;
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
  /** Place among the messages that a model is sent, from 1; undefined for what is not sent, or is no message. */
  readonly number: number | undefined;
  readonly role: string;
  readonly parts: readonly DrawnPart[];
  /** Faults of the message as a whole. */
  readonly faults: readonly string[];
  /** What had to be done to its row so that it can be loaded. */
  readonly rowFaults: readonly string[];
  /** False for what lies before a summary or a reset. */
  readonly isSent: boolean;
  /** The turn failed: OpenClaw leaves it out of what it sends. */
  readonly isFailed: boolean;
  readonly isLeaf: boolean;
  readonly note: DrawnNote | undefined;
  /** Moves that left from here, each with the entry that it arrived with. */
  readonly moves: readonly DrawnMove[];
  /** Its first words, where these were asked for. */
  readonly words: string | undefined;
  readonly checkpoints: readonly Checkpoint[];
  /** Paths that leave behind it. */
  readonly departures: readonly Departure[];
}

/** A block of a message, without what it says. */
export interface DrawnPart {
  readonly kind: "text" | "thinking" | "call" | "result" | "image" | "other";
  /** The stored type, of one that is not known. */
  readonly type: string;
  /** In characters. */
  readonly length: number;
  readonly tool?: string;
  readonly callId?: string;
  readonly faults: readonly string[];
  readonly link?: CallLink;
  /** A result that says an error; a result that stands in for one that nobody has. */
  readonly isError?: boolean;
  readonly isInvented?: boolean;
}

/** What a call and its results have in common. */
export interface CallLink {
  /** `12a`: the first call of message 12. */
  readonly label: string;
  /** Message numbers, from 1. */
  readonly call: number;
  readonly results: readonly number[];
}

/** A path that the conversation left. */
export interface Departure {
  /** The entry it ends with. */
  readonly tipId: string;
  readonly cause: "rollback" | "repair" | "summary" | "move" | "elsewhere";
  /** Of a rollback: the checkpoint that it went back to. */
  readonly checkpointId?: string;
  /** Of a move: the last one that left from this path. */
  readonly move?: DrawnMove;
  readonly messages: number;
  readonly entries: number;
  /** When its last entry was written. */
  readonly at: number | undefined;
  /** How many faults its messages have; undefined where nobody looked. */
  readonly faults: number | undefined;
  readonly items: readonly DrawnItem[];
}

/** A note of this project in a transcript; `arrival` and `aborted` are of moves through the history. */
export interface DrawnNote {
  readonly at: number | undefined;
  readonly kind: "rollback" | "repair" | "kept" | "arrival" | "aborted";
  readonly checkpointId?: string;
  /** Of an arrival: whose move it was, where from, and how many characters were taken along. */
  readonly by?: MovedBy;
  readonly from?: string | null;
  readonly length?: number;
}

/** A move through the history that left an entry. */
export interface DrawnMove {
  readonly by: MovedBy;
  readonly arrivalId: string;
}
