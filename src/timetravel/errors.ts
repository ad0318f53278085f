import { CodedError, makeErrorBuilder } from "../base/coded-error.ts";

/** Why a move was refused. The code is for programs, the message for the agent or the person who asked for it. */
export type TimeTravelErrorCode =
  | "bad-target"
  | "no-such-node"
  | "not-closed"
  | "behind-reset"
  | "ambiguous-id"
  | "no-such-reference"
  | "bad-name"
  | "name-taken"
  | "moved-on"
  | "too-many-moves"
  | "same-move"
  | "second-move"
  | "no-run"
  | "bad-carryover";

/** Thrown when a move is refused; nothing was changed. */
export class TimeTravelError extends CodedError<TimeTravelErrorCode> {
  override readonly name = "TimeTravelError";
}

/** Builds a TimeTravelError with the parts expected, found and to do. */
export const timeTravelError = makeErrorBuilder(TimeTravelError);
