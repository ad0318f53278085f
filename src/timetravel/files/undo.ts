import type { Files } from "./places.ts";
import { timeTravelError } from "../errors.ts";
import type { History } from "../history.ts";
import { arrivalOf } from "../records.ts";

/** The move that an undo takes back: where it left from, and whether it brought files back. */
export interface LastMove {
  /** The target of the undo, in a form that `resolveTarget` accepts. */
  readonly place: string;
  readonly files: Files;
}

/** Returns the last move on the present path, an agent's or an operator's. Throws `bad-target` when there is none. */
export function lastMoveOf(history: History): LastMove {
  const arrival = history
    .path()
    .map(({ entry }) => arrivalOf(entry))
    .findLast((one) => one !== undefined);
  if (arrival) return { place: arrival.departureId ?? "root", files: arrival.files ?? "keep" };
  throw timeTravelError("bad-target", {
    expected: "a conversation that was moved",
    found: "no move on its present path",
    todo: "Name a place to go to. Nothing was moved.",
  });
}
