/**
 * Texts that make a regular expression go back as often as it can: its own words, again and again, with what its
 * quantifiers may take between them.
 */
import { TEXTS } from "../../harness/growth/families.ts";

const LENGTH = 60_000;
const MOST_WORDS = 24;
const BETWEEN = [" ", "a", "0", ".", '"', "_", "-", "\n", ":", "="];

/** Many of them for one expression. */
export function hostileTexts(pattern: string): string[] {
  const words = [...new Set(wordsIn(pattern))].slice(0, MOST_WORDS);
  const parts = words.flatMap((word) => [word, `${word} `]);
  const [first = ""] = words;
  return [
    ...Object.values(TEXTS).flatMap((make) => [make(LENGTH), first + make(LENGTH), `${first} ${make(LENGTH)}\u0000`]),
    ...parts.map((part) => repeated(part)),
    ...words.flatMap((word) => BETWEEN.map((one) => word + one.repeat(LENGTH))),
    ...words.flatMap((word) => BETWEEN.map((one) => repeated(word + one))),
    repeated(`${words.join("")} `),
    repeated(`${words.join(" ")} `),
  ];
}

/** What stands in a pattern for itself, two characters or more. */
function wordsIn(pattern: string): string[] {
  const plain = pattern
    .replaceAll(
      /\\[dDwWsSbB]|\\[pP]\{[^}]{0,60}\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\{\d{0,6},?\d{0,6}\}|\(\?[:=!<]{0,2}/g,
      "|",
    )
    .replaceAll(/\\n/g, "\n")
    .replaceAll(/\\(.)/g, "$1");
  return plain.split(/[()|[\]?+*^$]/).filter((word) => word.length > 1);
}

function repeated(part: string): string {
  return part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);
}
