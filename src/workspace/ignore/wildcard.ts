/** One place of a pattern: a character, any character, any number of characters, or a set of characters. */
type Token = number | "?" | "*" | CharacterSet;

interface CharacterSet {
  readonly isNegated: boolean;
  /** First and last character of each range. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** A pattern for one name without a slash. */
export interface Wildcard {
  readonly tokens: readonly Token[];
  /** The only name that matches, where the pattern has no wildcard. */
  readonly literal: string | undefined;
}

/** What a search may still cost, in comparisons; shared by all searches of one capture. */
export interface Work {
  left: number;
}

const code = (text: string): number => text.charCodeAt(0);
const NAMED_SETS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  alpha: [
    [65, 90],
    [97, 122],
  ],
  digit: [[48, 57]],
  alnum: [
    [48, 57],
    [65, 90],
    [97, 122],
  ],
  upper: [[65, 90]],
  lower: [[97, 122]],
  space: [
    [9, 13],
    [32, 32],
  ],
  blank: [
    [9, 9],
    [32, 32],
  ],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
  print: [[32, 126]],
  graph: [[33, 126]],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
};

/** Reads the pattern of one name; undefined for one that matches nothing, such as a set without an end. */
export function readWildcard(pattern: string): Wildcard | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (character === "*") {
      if (tokens.at(-1) !== "*") tokens.push("*");
    } else if (character === "?") tokens.push("?");
    else if (character === "\\") {
      if (++at === pattern.length) return undefined;
      tokens.push(pattern.charCodeAt(at));
    } else if (character === "[") {
      const read = readSet(pattern, at + 1);
      if (read === undefined) return undefined;
      tokens.push(read.set);
      at = read.end;
    } else tokens.push(code(character));
  }
  const isLiteral = tokens.every((token) => typeof token === "number");
  return { tokens, literal: isLiteral ? String.fromCharCode(...(tokens as number[])) : undefined };
}

/** Reads a set behind its opening bracket; `end` is the place of the closing one. */
function readSet(pattern: string, from: number): { readonly set: CharacterSet; readonly end: number } | undefined {
  let at = from;
  const isNegated = pattern[at] === "!" || pattern[at] === "^";
  if (isNegated) at++;
  const ranges: (readonly [number, number])[] = [];
  for (let isFirst = true; at < pattern.length; isFirst = false, at++) {
    if (pattern[at] === "]" && !isFirst) return { set: { isNegated, ranges }, end: at };
    if (pattern.startsWith("[:", at)) {
      const end = pattern.indexOf(":]", at + 2);
      const name = pattern.slice(at + 2, Math.max(at + 2, end));
      if (!Object.hasOwn(NAMED_SETS, name)) return undefined;
      ranges.push(...NAMED_SETS[name]!);
      at = end + 1;
      continue;
    }
    if (pattern[at] === "\\") at++;
    if (at >= pattern.length) return undefined;
    const first = pattern.charCodeAt(at);
    if (pattern[at + 1] !== "-" || pattern[at + 2] === "]" || at + 2 >= pattern.length) {
      ranges.push([first, first]);
      continue;
    }
    at += pattern[at + 2] === "\\" ? 3 : 2;
    if (at >= pattern.length) return undefined;
    ranges.push([first, pattern.charCodeAt(at)]);
  }
  return undefined;
}

/**
 * Whether a name matches. Only the last `*` is tried again, which is enough, so that the cost is at most the product of
 * both lengths. The cost is taken from `work`.
 */
export function matches({ tokens, literal }: Wildcard, name: string, work: Work): boolean {
  work.left--;
  if (literal !== undefined) return literal === name;
  let [token, at, star, from] = [0, 0, -1, 0];
  while (at < name.length) {
    work.left--;
    const wanted = tokens[token];
    if (wanted === "*") {
      star = token++;
      from = at;
    } else if (wanted !== undefined && isOne(wanted, name.charCodeAt(at))) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++from;
    } else return false;
  }
  while (tokens[token] === "*") token++;
  return token === tokens.length;
}

function isOne(token: Exclude<Token, "*">, character: number): boolean {
  if (typeof token === "number") return token === character;
  if (token === "?") return true;
  return token.ranges.some(([first, last]) => first <= character && character <= last) !== token.isNegated;
}
