/**
 * What the preload (preload.ts) writes down and what it is told: the places of a turn at which OpenClaw can be killed.
 * No imports, so that it costs OpenClaw nothing.
 */

/**
 * How far a step has come when the process ends. What is appended to a file can be cut anywhere; a statement is carried
 * out or not.
 */
export type Part = "before" | "1 byte" | "half" | "all but the newline" | "after";

/**
 * A place: a step counted from the one that stores the answer with the calls, or from the one that stores the
 * carryover.
 */
export interface Place {
  readonly from: "batch" | "carryover";
  readonly at: number;
  readonly part: Part;
}

/**
 * One thing that OpenClaw's process does to its disk: a statement to SQLite (any database of it), or a line for a
 * transcript file.
 */
export interface Step {
  readonly n: number;
  readonly kind: "statement" | "line";
  /** The first word of the statement. */
  readonly verb: string;
  /** The number of the transaction that it is in, since the batch; undefined outside of any. */
  readonly transaction?: number;
  readonly isCarryover: boolean;
}

/** What the process that will be killed reads when the turn of that tag begins to be stored. */
export interface Orders {
  readonly tag: string;
  /** Left out for a turn that is only to be looked at. */
  readonly place?: Place;
}

/** The environment of the process: where it finds its orders, and where it writes its steps, one JSON a line. */
export const ORDERS_FILE = "TRAVEL_CHAOS_ORDERS";
export const STEPS_FILE = "TRAVEL_CHAOS_STEPS";

/** Every note of an agent holds one, and nothing else does. */
export const TAG = /travel-note-\w+/;

/** A turn does some two hundred of them until the next request. */
export const MOST_STEPS = 600;
