/**
 * Heals a history by the smallest edit: what is not at fault stays the same object, in its place. A history is cut
 * where its repair moves nothing over the cut; of the pieces only those with a violation are taken from the repaired
 * history, and of these only what the repair has changed is written anew.
 */
import type { JsonObject } from "../transcript/json/json.ts";
import { OPENING_TEXT } from "../transcript/repair.ts";
import { SoundnessWalk } from "../transcript/json/soundness-walk.ts";
import { readOrigin } from "../transcript/origin.ts";
import { FROM, RAW, type Block, type BodyMessage, type Dialect, type WireViolation } from "./model.ts";
import type { Target } from "./target.ts";
import { attributed, mergedResults, cutPieces, groupUnits, type Piece, type Unit } from "./pieces.ts";
import { CONTINUE_TEXT } from "./turns.ts";
import { indexIn } from "./window.ts";

/** How often the edit grows before the history is written as a whole. */
const MAX_PASSES = 8;

/**
 * Returns the items of the body with the repaired history's changes where they are needed; undefined where that cannot
 * be told item by item.
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
  const units = groupUnits(history.read, items.length);
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
    const left = dialect.check({ ...body, [dialect.field]: written }, target, new SoundnessWalk());
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
  return dialect.check({ ...body, [dialect.field]: spoken }, target, new SoundnessWalk()).length === 0
    ? spoken
    : undefined;
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
    this.#pieces = cutPieces(units.length, this.#unitOf, merged);
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
    const flush = (isEnd = false): void => {
      if (stretch.length === 0) return;
      give(this.#write(stretch, caller, isEnd), units);
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
    flush(!this.#ending);
    if (this.#ending) give(this.#write([userMessage(CONTINUE_TEXT)]), []);
    return { written, sources };
  }

  #isTouched({ first, last }: Piece): boolean {
    for (let unit = first; unit <= last; unit++) if (this.#touched.has(unit)) return true;
    return false;
  }

  /**
   * Returns how many messages from here are a whole unit as it was read; 0 where they are not, or are to be written.
   */
  #keptLength(at: number, unit: number): number {
    if (this.#rewritten.has(unit)) return 0;
    const { messages } = this.#units[unit]!;
    return messages.every((message, index) => this.#repaired[at + index] === message) ? messages.length : 0;
  }

  #write(messages: readonly BodyMessage[], caller?: BodyMessage, isEnd = false): readonly unknown[] {
    return this.#dialect.write(messages, this.#body, this.#target, { caller, isEnd, whole: this }) as unknown[];
  }

  /** Adds the places of these violations to what is written anew, or else their neighbours; false where all are in. */
  grow(left: readonly WireViolation[], sources: readonly (readonly number[])[]): boolean {
    let grew = false;
    for (const { rule } of left) {
      if (rule === "first_role" || rule === "history_empty") {
        grew ||= !this.#opening;
        this.#opening = true;
      } else if (rule === "last_role" && this.#repaired.at(-1)?.role === "assistant") {
        // Where the history ends otherwise, messages of another form stand behind the assistant's.
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
  if (message.role === "toolResult") return readOrigin(message).result === "unknown";
  const { content } = message;
  if (!Array.isArray(content) || content.length === 0) return false;
  return (content as Block[]).every((block) => block.type === "toolCall" && block[RAW] === undefined);
}

function userMessage(text: string): BodyMessage {
  return { role: "user", content: [{ type: "text", text }] };
}
