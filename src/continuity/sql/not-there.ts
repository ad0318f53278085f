import { continuityError } from "../base/errors.ts";

/** Returns the error for a store that must exist and is missing. */
export function notThere(place: string, found: string): Error {
  return continuityError("not-found", {
    expected: `a continuity store in ${place}`,
    found,
    todo: "Record work first, which creates a store. Nothing was created.",
  });
}
