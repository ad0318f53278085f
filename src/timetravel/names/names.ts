import { timeTravelError } from "../errors.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/;
/** Names that could be mistaken for another place, or for a word of the chat's commands. */
const RESERVED = new Set(["head", "root", "undo", "words", "yes"]);

/** Whether a text can be the name of a place. */
export function isName(name: string): boolean {
  return NAME.test(name) && !/^\d+$/.test(name) && !RESERVED.has(name.toLowerCase());
}

/** Throws `bad-name` for a reserved name and for one that could be another form of target. */
export function assertName(name: string): void {
  if (isName(name)) return;
  throw timeTravelError("bad-name", {
    expected:
      "a name of 1 to 64 letters, digits and . _ / -, which begins with a letter or digit, is no number, and is " +
      `none of ${[...RESERVED].join(", ")}`,
    found: JSON.stringify(name.slice(0, 100)),
    todo: "Choose another name. Nothing was changed.",
  });
}
