import { ContinuityError, continuityError } from "../base/errors.ts";
import type { WorkState } from "../base/state.ts";

/**
 * Thrown by a command that would change nothing: what it asks for is recorded already. Its code is one of those that
 * are decided again on the newest state, so that the state is never an old one.
 */
export class Unchanged extends ContinuityError {
  /** The state on which that was decided. */
  readonly state: WorkState;
  /** The goal or task that has what was asked for. */
  readonly id: string;

  constructor(
    state: WorkState,
    id: string,
    { expected, found }: { readonly expected: string; readonly found: string },
  ) {
    const todo = "Nothing has to be done. Nothing was written.";
    super("invalid-transition", continuityError("invalid-transition", { expected, found, todo }).message);
    this.state = state;
    this.id = id;
  }
}
