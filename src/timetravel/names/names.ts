import { timeTravelError } from "../errors.ts";

/** Name of the session's leaf in targets. It is read from the rows each time and never stored. */
export const HEAD_REFERENCE = "@head";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/;
/** Names that could be mistaken for the head or for another form of target. */
const RESERVED = new Set(["head", "pi_head", "root", "turn", "checkpoint", "ref", "branch"]);

/** Whether a text can be the name of a place. */
export function isName(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name.toLowerCase());
}

/** Throws `bad-name` for a reserved name and for one that could be another form of target. */
export function assertName(name: string): void {
  if (isName(name)) return;
  throw timeTravelError("bad-name", {
    expected: `a name of 1 to 64 letters, digits and . _ / -, which begins with a letter or digit and is none of ${[...RESERVED].join(", ")}; names with @ are this program's own`,
    found: JSON.stringify(name.slice(0, 100)),
    todo: "Choose another name. Nothing was changed.",
  });
}
