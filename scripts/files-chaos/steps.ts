/**
 * What the preload (preload.ts) writes down and what it is told: the steps of a move with files at which OpenClaw can be
 * killed. No imports, so that it costs OpenClaw nothing.
 */

/** A step counted from the answer that asks for the move, or from the record of the move's intent. */
export interface Place {
  readonly from: "answer" | "intent";
  readonly at: number;
  readonly part: "before" | "half" | "after";
}

/** One thing that the process does to its disk, or a program that it starts. */
export interface Step {
  /** Counted from the answer, and from the intent where that is recorded. */
  readonly n: number;
  readonly sinceIntent: number;
  /** A statement's first word, a function of node:fs, or `git`. */
  readonly verb: string;
  /** Whether the step can be cut in half: what is written to a file. */
  readonly isCut: boolean;
  /** Whether the mark of a move under way is there. */
  readonly isUnderWay: boolean;
}

/** What the process reads when an answer with this tag is stored. */
export interface Orders {
  readonly tag: string;
  /** Left out for a turn that is only to be looked at. */
  readonly place?: Place;
}

/** The same names as for the kills of moves without files: the host sets them. */
export const ORDERS_FILE = "TRAVEL_CHAOS_ORDERS";
export const STEPS_FILE = "TRAVEL_CHAOS_STEPS";

/** The note of the move that is to be killed holds one, and nothing else does. */
export const TAG = /travel-note-\w+/;

/** The end of the path of the mark of a move under way. */
export const MARK = "move-under-way";

export const MOST_STEPS = 2000;
