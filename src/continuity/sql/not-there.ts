import { continuityError } from "../base/errors.ts";

/** What a store is refused with that must be there and is not. */
export function notThere(place: string, found: string): Error {
  return continuityError("not-found", {
    expected: `a continuity store in ${place}`,
    found,
    todo: "One is made where work is recorded for the first time. Nothing was made.",
  });
}
