import { CodedError, makeErrorBuilder } from "../base/coded-error.ts";

/** Why a move was refused. The code is for programs, the message for the agent or the person who asked for it. */
export type TimeTravelErrorCode =
  /** The words name no place, or none to which a move can go. */
  | "bad-target"
  /** No entry has this id, or no message does. */
  | "no-such-node"
  /** A tool call has no result at that place. */
  | "not-closed"
  /** The place lies before the last reset. */
  | "behind-reset"
  /** Several ids begin so. */
  | "ambiguous-id"
  /** No place has this name. */
  | "no-such-reference"
  /** A name that is reserved, or could be another form of target. */
  | "bad-name"
  /** A person has given this name to a place. */
  | "name-taken"
  /** The conversation has gone on since the move was asked for. */
  | "moved-on"
  | "too-many-moves"
  /** The same place with the same note as before in the turn. */
  | "same-move"
  /** Another call of the same batch has asked for a move. */
  | "second-move"
  /** No run whose history is a tree, or one that was reset. */
  | "no-run"
  /** A note that is empty or too long. */
  | "bad-carryover";

/** Thrown when a move is refused; nothing was changed. */
export class TimeTravelError extends CodedError<TimeTravelErrorCode> {
  override readonly name = "TimeTravelError";
}

/** Builds a TimeTravelError with the parts expected, found and to do. */
export const timeTravelError = makeErrorBuilder(TimeTravelError);
