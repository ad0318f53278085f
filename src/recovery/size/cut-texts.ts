import { isBlank } from "../../transcript/json/json.ts";

/** The fewest characters that texts can be cut to: the words in the place of their middle need some of them. */
export const LEAST_CAP = 500;

/** The most characters of the words in place of a middle. */
const WORDS = 300;

/** How much of what is kept is the beginning. */
const BEGINNING = 0.6;

/**
 * Cuts the middle out of texts that follow each other, so that together they have no more than `cap` characters, at
 * least {@link LEAST_CAP}. `leftOut` says in words, of 300 characters at most, how many are left out; they stand in the
 * line that is cut, since behind the end of one a quotation of tool traffic would end. A text that lies in the middle,
 * or keeps nothing but white space, is undefined. No character of two surrogates is cut in half. Returns undefined
 * where the texts are short enough.
 */
export function cutTexts(
  texts: readonly string[],
  cap: number,
  leftOut: (count: number) => string,
): (string | undefined)[] | undefined {
  let total = 0;
  for (const text of texts) total += text.length;
  if (total <= cap) return undefined;
  const kept = Math.max(cap, LEAST_CAP) - WORDS;
  const from = Math.floor(kept * BEGINNING);
  const to = total - (kept - from);
  const out: (string | undefined)[] = [];
  let start = 0;
  let isSaid = false;
  for (const text of texts) {
    const end = start + text.length;
    if (end <= from || start >= to) out.push(text);
    else {
      const beginning = text.slice(0, boundary(text, from - start));
      const ending = text.slice(boundary(text, to - start));
      const words = isSaid ? "" : leftOut(to - from);
      isSaid = true;
      const joined = [beginning, words, ending].filter((part) => part !== "").join(" ");
      out.push(isBlank(joined) ? undefined : joined);
    }
    start = end;
  }
  return out;
}

/** Returns the index, or the one before it where it lies within a pair of surrogates; between 0 and the end. */
function boundary(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const isPair = isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
  return isPair ? at - 1 : at;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
