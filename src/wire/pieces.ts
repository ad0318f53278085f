/** Where a history can be cut so that its repair moves nothing over the cut. */
import { isBlank, isObject } from "../transcript/json/json.ts";
import { readText } from "../transcript/json/text.ts";
import { FROM, type BodyMessage } from "./model.ts";

/** Items of a body that were read together, and the messages that they were read as. */
export interface Unit {
  readonly first: number;
  readonly last: number;
  readonly messages: BodyMessage[];
}

/** The places of units `first` to `last` in the repaired history, from `start` to before `end`. */
export interface Piece {
  readonly first: number;
  readonly last: number;
  readonly start: number;
  readonly end: number;
}

/** Groups messages by what they were read from; undefined unless that is every item, in order. */
export function groupUnits(read: readonly BodyMessage[], count: number): Unit[] | undefined {
  const units: Unit[] = [];
  let from: unknown;
  let next = 0;
  for (const message of read) {
    const place = message?.[FROM];
    if (!place) return undefined;
    if (place === from) {
      units.at(-1)!.messages.push(message);
      continue;
    }
    if (place.first < next) return undefined;
    while (next < place.first) units.push(nothingAt(next++));
    from = place;
    next = place.last + 1;
    units.push({ first: place.first, last: place.last, messages: [message] });
  }
  while (next < count) units.push(nothingAt(next++));
  return units;
}

/** An item of which nothing was read. */
function nothingAt(index: number): Unit {
  return { first: index, last: index, messages: [] };
}

/**
 * Returns the units with calls and results of an id, as first and last, for results that the repair has merged into
 * another of their call; undefined where such a call is not found.
 */
export function mergedResults(
  units: readonly Unit[],
  repaired: readonly BodyMessage[],
): [number, number][] | undefined {
  const resultsLeft = new Map<unknown, number>();
  for (const { [FROM]: place, role } of repaired)
    if (role === "toolResult") resultsLeft.set(place, (resultsLeft.get(place) ?? 0) + 1);
  /** The first and last unit with a call or result of each id, and whether there is a call. */
  const ranges = new Map<unknown, { begin: number; last: number; isCalled: boolean }>();
  const note = (id: unknown, unit: number, isCall: boolean): void => {
    const { begin = unit, isCalled = false } = ranges.get(id) ?? {};
    ranges.set(id, { begin, last: unit, isCalled: isCalled || isCall });
  };
  units.forEach(({ messages }, unit) => {
    for (const { role, content, toolCallId } of messages) {
      if (role === "toolResult") note(toolCallId, unit, false);
      if (role !== "assistant" || !Array.isArray(content)) continue;
      for (const block of content as unknown[])
        if (isObject(block) && block.type === "toolCall") note(block.id, unit, true);
    }
  });
  const merged: [number, number][] = [];
  for (const { messages } of units) {
    const results = messages.filter(({ role }) => role === "toolResult");
    if (results.length === (resultsLeft.get(messages[0]?.[FROM]) ?? 0)) continue;
    for (const { toolCallId, content } of results) {
      const range = ranges.get(toolCallId)!;
      // A result of no call that says nothing is left out.
      if (!range.isCalled && isBlank(readText(content))) continue;
      if (!range.isCalled) return undefined;
      merged.push([range.begin, range.last]);
    }
  }
  return merged;
}

/**
 * Returns for each repaired message the unit that it belongs to: a result that the repair added belongs to its call, a
 * call to its result behind, and anything else to what is before it.
 */
export function attributed(units: readonly Unit[], repaired: readonly BodyMessage[]): number[] {
  const byPlace = new Map(units.flatMap(({ messages }, unit) => (messages[0] ? [[messages[0][FROM], unit]] : [])));
  const ownUnit = repaired.map((message) => message[FROM] && byPlace.get(message[FROM]));
  const unitOf: number[] = ownUnit.map((unit) => unit ?? 0);
  let unitBehind = 0;
  for (let at = repaired.length - 1; at >= 0; at--) {
    if (ownUnit[at] === undefined) unitOf[at] = unitBehind;
    else unitBehind = ownUnit[at]!;
  }
  let unitBefore: number | undefined;
  let caller: number | undefined;
  repaired.forEach(({ role }, at) => {
    if (ownUnit[at] !== undefined) unitBefore = ownUnit[at];
    else if (role === "toolResult" && caller !== undefined) unitOf[at] = caller;
    else if (role !== "assistant" && unitBefore !== undefined) unitOf[at] = unitBefore;
    if (role === "assistant") caller = unitOf[at];
  });
  return unitOf;
}

/**
 * Cuts the history before each unit for which all messages of earlier units come before all of later ones, but not
 * inside of `merged`.
 */
export function cutPieces(count: number, unitOf: readonly number[], merged: readonly [number, number][]): Piece[] {
  const firstAt = Array.from<number>({ length: count }).fill(unitOf.length);
  const lastAt = Array.from<number>({ length: count }).fill(-1);
  unitOf.forEach((unit, at) => {
    firstAt[unit] = Math.min(firstAt[unit]!, at);
    lastAt[unit] = Math.max(lastAt[unit]!, at);
  });
  /** The first place of this unit or of any later one. */
  const from: number[] = [...firstAt, unitOf.length];
  for (let unit = count - 1; unit >= 0; unit--) from[unit] = Math.min(from[unit]!, from[unit + 1]!);
  const pieces: Piece[] = [];
  const until = Array.from<number>({ length: count }).fill(0);
  for (const [begin, last] of merged) until[begin] = Math.max(until[begin]!, last);
  let [first, start, end, bound] = [0, 0, 0, 0];
  for (let unit = 0; unit < count; unit++) {
    end = Math.max(end, lastAt[unit]! + 1);
    bound = Math.max(bound, until[unit]!);
    if (end > from[unit + 1]! || unit < bound) continue;
    pieces.push({ first, last: unit, start, end });
    first = unit + 1;
    start = end;
  }
  return pieces;
}
