import { analyse } from "../../transcript/analyse.ts";
import { idKey, isCallBlock, isResultBlock, readCall, readResult } from "../../transcript/read.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { CallLink } from "./drawing.ts";

/**
 * Links between calls and results, by {@link placeKey}: the index of the message and the index of the block. The block
 * index is -1 for a message that is itself a result.
 */
export type CallLinks = ReadonlyMap<string, CallLink>;

/** Returns the key of a place in {@link CallLinks}. */
export function placeKey(message: number, block: number): string {
  return `${message}:${block}`;
}

/** Pairs calls with results by the rules of the repair. Never throws. */
export function callLinks(messages: readonly unknown[]): CallLinks {
  const { pairing, origins } = analyse(messages, "openclaw");
  const links = new Map<string, CallLink>();
  const counts = new Map<number, number>();
  const calls = new BlocksById(messages, (block) => (isCallBlock(block) ? idKey(readCall(block).id) : undefined));
  const answers = new BlocksById(messages, (block) => (isResultBlock(block) ? idKey(readResult(block).id) : undefined));
  for (const { message, block, id, results } of pairing.calls) {
    const at = origins[message]!;
    const nth = counts.get(at) ?? 0;
    counts.set(at, nth + 1);
    const places = results.map((result) => ({ at: origins[result.message]!, id: result.id }));
    const link = { label: `${at + 1}${toLetters(nth)}`, call: at + 1, results: places.map((place) => place.at + 1) };
    links.set(placeKey(at, calls.at(at, id, block)), link);
    for (const place of places)
      links.set(placeKey(place.at, isUsers(messages[place.at]) ? answers.at(place.at, place.id) : -1), link);
  }
  return links;
}

/** Returns whether a message is the user's: such a message holds results as blocks. */
function isUsers(message: unknown): boolean {
  return isObject(message) && message.role === "user";
}

/** Finds the block of a message that has a given id. The ids of each message are read once. */
class BlocksById {
  readonly #messages: readonly unknown[];
  readonly #readId: (block: unknown) => string | undefined;
  readonly #placesByMessage = new Map<number, Map<string, number>>();

  constructor(messages: readonly unknown[], readId: (block: unknown) => string | undefined) {
    this.#messages = messages;
    this.#readId = readId;
  }

  /**
   * Returns `guess` where that block has the id, else the index of the first block that has it: the analysis may have
   * left out blocks before it. Returns -1 when no block has the id.
   */
  at(message: number, id: unknown, guess = -1): number {
    const key = idKey(id);
    return guess >= 0 && this.#readId(this.#blocks(message)[guess]) === key
      ? guess
      : (this.#collectIds(message).get(key) ?? -1);
  }

  #collectIds(message: number): Map<string, number> {
    const known = this.#placesByMessage.get(message);
    if (known) return known;
    const ids = new Map<string, number>();
    this.#blocks(message).forEach((block, at) => {
      const id = this.#readId(block);
      if (id !== undefined && !ids.has(id)) ids.set(id, at);
    });
    this.#placesByMessage.set(message, ids);
    return ids;
  }

  #blocks(message: number): readonly unknown[] {
    const found = this.#messages[message];
    return isObject(found) && Array.isArray(found.content) ? (found.content as unknown[]) : [];
  }
}

/** a, b, … z, aa, ab, … */
function toLetters(nth: number): string {
  const last = String.fromCharCode(97 + (nth % 26));
  return nth < 26 ? last : toLetters(Math.floor(nth / 26) - 1) + last;
}
