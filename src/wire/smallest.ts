/**
 * Heals a history by the smallest edit: what is not at fault stays the same object, in its place. A history is cut where
 * its repair moves nothing over the cut; of the pieces only those with a violation are taken from the repaired history,
 * and of these only what the repair has changed is written anew.
 */
import { isBlank, isObject, type JsonObject } from "../transcript/json/json.ts";
import { textOf } from "../transcript/json/text.ts";
import { OPENING_TEXT } from "../transcript/repair.ts";
import { Sound } from "../transcript/json/sound.ts";
import { originOf } from "../transcript/origin.ts";
import { FROM, RAW, type Block, type BodyMessage, type Dialect, type WireViolation } from "./model.ts";
import type { Target } from "./target.ts";
import { CONTINUE_TEXT } from "./turns.ts";

/** Items of a body that were read together, and the messages that they were read as. */
interface Unit {
  readonly first: number;
  readonly last: number;
  readonly messages: BodyMessage[];
}

/** The places of units `first` to `last` in the repaired history, from `start` to before `end`. */
interface Piece {
  readonly first: number;
  readonly last: number;
  readonly start: number;
  readonly end: number;
}

/** How often the edit grows before the history is written as a whole. */
const MAX_PASSES = 8;

/**
 * Returns the items of the body with the repaired history's changes where they are needed; undefined where that cannot be
 * told item by item.
 */
export function smallestEdit(
  dialect: Dialect,
  body: JsonObject,
  target: Target,
  history: { read: readonly BodyMessage[]; repaired: readonly BodyMessage[]; found: readonly WireViolation[] },
): unknown[] | undefined {
  const given = body[dialect.field];
  if (!Array.isArray(given)) return undefined;
  const items = given as unknown[];
  const spoken = withoutSilence(dialect, body, target, items, history.found);
  if (spoken) return spoken;
  const units = unitsOf(history.read, items.length);
  // What the repair has taken from one message for another can be anywhere.
  if (!units || !history.repaired.every((message) => message[FROM] ?? isInvented(message))) return undefined;
  const merged = mergedResults(units, history.repaired);
  if (!merged) return undefined;
  const edit = new Edit(dialect, body, target, items, units, history.repaired, merged);
  const unitAt: number[] = [];
  units.forEach(({ first, last }, unit) => {
    for (let at = first; at <= last; at++) unitAt[at] = unit;
  });
  // What reasoning lacks behind it may be a call that was lost: the repair of the call comes first.
  const first = history.found.filter(({ rule }) => rule !== "reasoning_item");
  for (const { path } of first.length > 0 ? first : history.found) edit.touch(unitAt[indexIn(path)]);
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const { written, sources } = edit.assemble();
    const left = dialect.check({ ...body, [dialect.field]: written }, target, new Sound());
    if (left.length === 0) return written;
    if (!edit.grow(left, sources)) return undefined;
  }
  return undefined;
}

/** Returns the items but those at fault that say nothing; undefined where that is not all that is at fault. */
function withoutSilence(
  dialect: Dialect,
  body: JsonObject,
  target: Target,
  items: readonly unknown[],
  found: readonly WireViolation[],
): unknown[] | undefined {
  const silent = new Set(found.map(({ path }) => indexIn(path)));
  const said = dialect.read({ ...body, [dialect.field]: items.filter((_, at) => silent.has(at)) }, target);
  if (!said.every(({ role, content }) => role !== "toolResult" && Array.isArray(content) && content.length === 0))
    return undefined;
  const spoken = items.filter((_, at) => !silent.has(at));
  return dialect.check({ ...body, [dialect.field]: spoken }, target, new Sound()).length === 0 ? spoken : undefined;
}

/** Returns the index of the item that a path names; NaN where it names none. */
function indexIn(path: string): number {
  return Number(path.split(".", 2)[1] ?? Number.NaN);
}

/** Groups messages by what they were read from; undefined unless that is every item, in order. */
function unitsOf(read: readonly BodyMessage[], count: number): Unit[] | undefined {
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

class Edit {
  readonly #dialect: Dialect;
  readonly #body: JsonObject;
  readonly #target: Target;
  readonly #items: readonly unknown[];
  readonly #units: readonly Unit[];
  readonly #repaired: readonly BodyMessage[];
  /** The unit that each repaired message belongs to. */
  readonly #unitOf: number[];
  readonly #pieces: Piece[];
  /** Units with a violation in their piece, and those that are written anew although the repair left them. */
  readonly #touched = new Set<number>();
  readonly #rewritten = new Set<number>();
  #opening = false;
  #ending = false;

  constructor(
    dialect: Dialect,
    body: JsonObject,
    target: Target,
    items: readonly unknown[],
    units: readonly Unit[],
    repaired: readonly BodyMessage[],
    merged: readonly [number, number][],
  ) {
    this.#dialect = dialect;
    this.#body = body;
    this.#target = target;
    this.#items = items;
    this.#units = units;
    this.#repaired = repaired;
    this.#unitOf = attributed(units, repaired);
    this.#pieces = piecesOf(units.length, this.#unitOf, merged);
    units.forEach(({ messages }, unit) => {
      if (!messages.some((message) => message[FROM]!.isChanged)) return;
      this.#touched.add(unit);
      this.#rewritten.add(unit);
    });
  }

  touch(unit: number | undefined): void {
    if (unit !== undefined) this.#touched.add(unit);
  }

  /** Writes the history, with the units that each item comes from. */
  assemble(): { written: unknown[]; sources: (readonly number[])[] } {
    const written: unknown[] = [];
    const sources: (readonly number[])[] = [];
    const give = (items: readonly unknown[], units: readonly number[]): void => {
      for (const item of items) {
        written.push(item);
        sources.push(units);
      }
    };
    /** Repaired messages that are to be written together, and their units. */
    let stretch: BodyMessage[] = [];
    let units: number[] = [];
    let caller: BodyMessage | undefined;
    const flush = (): void => {
      if (stretch.length === 0) return;
      give(this.#write(stretch, caller), units);
      caller = stretch.findLast(({ role }) => role === "assistant") ?? caller;
      stretch = [];
      units = [];
    };
    const giveUnit = (unit: number): void => {
      flush();
      const { first, last, messages } = this.#units[unit]!;
      give(this.#items.slice(first, last + 1), [unit]);
      caller = messages.findLast(({ role }) => role === "assistant") ?? caller;
    };
    if (this.#opening) give(this.#write([userMessage(OPENING_TEXT)]), []);
    for (const piece of this.#pieces) {
      if (!this.#isTouched(piece)) {
        for (let unit = piece.first; unit <= piece.last; unit++) giveUnit(unit);
        continue;
      }
      for (let at = piece.start; at < piece.end;) {
        const unit = this.#unitOf[at]!;
        const length = this.#keptLength(at, unit);
        if (length > 0) {
          giveUnit(unit);
          at += length;
          continue;
        }
        stretch.push(this.#repaired[at++]!);
        if (units.at(-1) !== unit) units.push(unit);
      }
    }
    flush();
    if (this.#ending) give(this.#write([userMessage(CONTINUE_TEXT)]), []);
    return { written, sources };
  }

  #isTouched({ first, last }: Piece): boolean {
    for (let unit = first; unit <= last; unit++) if (this.#touched.has(unit)) return true;
    return false;
  }

  /** Returns how many messages from here are a whole unit as it was read; 0 where they are not, or are to be written. */
  #keptLength(at: number, unit: number): number {
    if (this.#rewritten.has(unit)) return 0;
    const { messages } = this.#units[unit]!;
    return messages.every((message, index) => this.#repaired[at + index] === message) ? messages.length : 0;
  }

  #write(messages: readonly BodyMessage[], caller?: BodyMessage): readonly unknown[] {
    return this.#dialect.write(messages, this.#body, this.#target, { caller }) as unknown[];
  }

  /** Adds the places of these violations to what is written anew, or else their neighbours; false where all are in. */
  grow(left: readonly WireViolation[], sources: readonly (readonly number[])[]): boolean {
    let grew = false;
    for (const { rule } of left) {
      if (rule === "first_role" || rule === "history_empty") {
        grew ||= !this.#opening;
        this.#opening = true;
      } else if (rule === "last_role") {
        grew ||= !this.#ending;
        this.#ending = true;
      }
    }
    // A neighbour may be what is missed, so the repair of all of them comes before anything is written anew.
    for (const [set, steps] of [
      [this.#touched, [0]],
      [this.#touched, [-1, 1]],
      [this.#rewritten, [0]],
      [this.#rewritten, [-1]],
      [this.#rewritten, [1]],
    ] as const) {
      if (grew) return true;
      for (const { path } of left)
        for (const step of steps)
          for (const unit of sources[indexIn(path) + step] ?? []) {
            grew ||= !set.has(unit);
            set.add(unit);
            this.#touched.add(unit);
          }
    }
    return grew;
  }
}

/** True for what the repair adds: the result of a call without one, and the call of a result without one. */
function isInvented(message: BodyMessage): boolean {
  if (message.role === "toolResult") return originOf(message).result === "unknown";
  const { content } = message;
  if (!Array.isArray(content) || content.length === 0) return false;
  return (content as Block[]).every((block) => block.type === "toolCall" && block[RAW] === undefined);
}

/**
 * Returns the units with calls and results of an id, as first and last, for results that the repair has merged into another of their
 * call; undefined where such a call is not found.
 */
function mergedResults(units: readonly Unit[], repaired: readonly BodyMessage[]): [number, number][] | undefined {
  const left = new Map<unknown, number>();
  for (const { [FROM]: place, role } of repaired)
    if (role === "toolResult") left.set(place, (left.get(place) ?? 0) + 1);
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
    if (results.length === (left.get(messages[0]?.[FROM]) ?? 0)) continue;
    for (const { toolCallId, content } of results) {
      const range = ranges.get(toolCallId)!;
      // A result of no call that says nothing is left out.
      if (!range.isCalled && isBlank(textOf(content))) continue;
      if (!range.isCalled) return undefined;
      merged.push([range.begin, range.last]);
    }
  }
  return merged;
}

function userMessage(text: string): BodyMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/**
 * Returns for each repaired message the unit that it belongs to: a result that the repair added belongs to its call, a
 * call to its result behind, and anything else to what is before it.
 */
function attributed(units: readonly Unit[], repaired: readonly BodyMessage[]): number[] {
  const byPlace = new Map(units.flatMap(({ messages }, unit) => (messages[0] ? [[messages[0][FROM], unit]] : [])));
  const own = repaired.map((message) => message[FROM] && byPlace.get(message[FROM]));
  const unitOf: number[] = own.map((unit) => unit ?? 0);
  let behind = 0;
  for (let at = repaired.length - 1; at >= 0; at--) {
    if (own[at] === undefined) unitOf[at] = behind;
    else behind = own[at]!;
  }
  let before: number | undefined;
  let caller: number | undefined;
  repaired.forEach(({ role }, at) => {
    if (own[at] !== undefined) before = own[at];
    else if (role === "toolResult" && caller !== undefined) unitOf[at] = caller;
    else if (role !== "assistant" && before !== undefined) unitOf[at] = before;
    if (role === "assistant") caller = unitOf[at];
  });
  return unitOf;
}

/**
 * Cuts the history before each unit for which all messages of earlier units come before all of later ones, but not inside
 * of `merged`.
 */
function piecesOf(count: number, unitOf: readonly number[], merged: readonly [number, number][]): Piece[] {
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
