/** Foreign rows: those of a list that are no messages of its form. The repair does not see them; they stay in place. */
import { toJson } from "../transcript/json/json.ts";

/** The messages of a list without its foreign rows. */
export interface Members {
  readonly rows: readonly unknown[];
  /** The place in the list of each of `rows`. */
  readonly places: readonly number[];
}

/** Returns the messages of a list; the list itself where it has no other rows. */
export function selectMembers(list: readonly unknown[], isMember: readonly boolean[]): Members {
  const places = [...list.keys()].filter((at) => isMember[at]);
  return { rows: places.length === list.length ? list : places.map((at) => list[at]), places };
}

/**
 * Puts the foreign rows of `list` back between the repaired messages, in their order. Each follows the message that it
 * followed before, or what the repair made of that one. Where nothing is left of it, the nearest earlier message that
 * is left counts; where there is none, the row comes first.
 */
export function withForeignRows(
  list: readonly unknown[],
  { rows, places }: Members,
  repaired: readonly unknown[],
): readonly unknown[] {
  if (rows === list) return repaired;
  const endOf = endPositions(rows, repaired);
  const memberAt = new Map(places.map((place, member) => [place, member]));
  /** Foreign rows by the number of repaired messages before them. */
  const behind = new Map<number, unknown[]>();
  let before = 0;
  list.forEach((row, at) => {
    const member = memberAt.get(at);
    if (member !== undefined) {
      before = Math.max(before, endOf[member]!);
      return;
    }
    const found = behind.get(before);
    if (found) found.push(row);
    else behind.set(before, [row]);
  });
  return [...(behind.get(0) ?? []), ...repaired.flatMap((row, at) => [row, ...(behind.get(at + 1) ?? [])])];
}

/** How many repaired messages are compared with a given one at most. */
const MAX_COMPARED = 8;

/** Returns for each given message the index behind what became of it in `repaired`; 0 where nothing is left of it. */
function endPositions(rows: readonly unknown[], repaired: readonly unknown[]): number[] {
  const { placeOf, memberAt } = unchanged(rows, repaired);
  const wordsAt = new Map<number, ReadonlySet<string>>();
  const rowWords = (at: number): ReadonlySet<string> => {
    const words = wordsAt.get(at) ?? wordsIn(repaired[at]);
    wordsAt.set(at, words);
    return words;
  };
  let before = 0;
  return rows.map((row, member) => {
    const place = placeOf.get(member);
    if (place !== undefined) {
      before = Math.max(before, place + 1);
      return place + 1;
    }
    // What was made of it stands before the next unchanged message.
    const candidates: number[] = [];
    const end = Math.min(repaired.length, before + MAX_COMPARED);
    for (let at = before; at < end && (memberAt.get(at) ?? 0) <= member; at++)
      if (!memberAt.has(at)) candidates.push(at);
    let changed = 1;
    while (changed < MAX_COMPARED && member + changed < rows.length && !placeOf.has(member + changed)) changed++;
    const next = changed <= candidates.length ? candidates[0] : undefined;
    // It may also have become one with the message before it.
    if (before > 0 && !memberAt.has(before - 1)) candidates.push(before - 1);
    const found = mostAlike(wordsIn(row), candidates, rowWords) ?? next;
    if (found === undefined) return 0;
    before = Math.max(before, found + 1);
    return found + 1;
  });
}

interface Unchanged {
  /** The places in the repaired list of given messages that are still there. */
  readonly placeOf: ReadonlyMap<number, number>;
  /** The inverse: the given message at a place of the repaired list. */
  readonly memberAt: ReadonlyMap<number, number>;
}

/** Finds the messages that are the same objects; the same one may be there several times. */
function unchanged(rows: readonly unknown[], repaired: readonly unknown[]): Unchanged {
  const places = new Map<unknown, number[]>();
  for (let at = repaired.length - 1; at >= 0; at--) {
    const found = places.get(repaired[at]);
    if (found) found.push(at);
    else places.set(repaired[at], [at]);
  }
  const placeOf = new Map<number, number>();
  const memberAt = new Map<number, number>();
  rows.forEach((row, member) => {
    const place = places.get(row)?.pop();
    if (place === undefined) return;
    placeOf.set(member, place);
    memberAt.set(place, member);
  });
  return { placeOf, memberAt };
}

/** Returns the candidate that shares the most words, the first of several; undefined where none shares any. */
function mostAlike(
  words: ReadonlySet<string>,
  candidates: readonly number[],
  rowWords: (at: number) => ReadonlySet<string>,
): number | undefined {
  let [best, most]: [number | undefined, number] = [undefined, 0];
  for (const at of candidates) {
    const there = rowWords(at);
    const count = [...words].filter((word) => there.has(word)).length;
    if (count > most) [best, most] = [at, count];
  }
  return best;
}

/** How much of a message's JSON is compared. */
const MAX_TEXT = 4_000;
/** A text in JSON. One that is cut off goes to the end, also behind half of an escape. */
const JSON_STRING = /"((?:[^"\\]|\\[^])*)\\?(?:"(:?)|$)/g;

/** Returns the different words of a message's values, without its role and the types of its blocks. */
function wordsIn(row: unknown): Set<string> {
  const words = new Set<string>();
  let key: string | undefined;
  for (const [, text, colon] of jsonIn(row).matchAll(JSON_STRING)) {
    if (colon === ":") key = text;
    else if (key !== "type" && key !== "role") for (const [word] of text!.matchAll(/[\p{L}\p{N}_]+/gu)) words.add(word);
  }
  return words;
}

function jsonIn(row: unknown): string {
  try {
    return toJson(row).slice(0, MAX_TEXT);
  } catch {
    // A part of it cannot be read.
    return "";
  }
}
