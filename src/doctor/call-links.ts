import { analyse } from "../transcript/analyse.ts";
import { idKey, isCallBlock, isResultBlock, readCall, readResult } from "../transcript/read.ts";
import { isObject } from "../transcript/json.ts";
import type { CallLink } from "./drawing.ts";

/** The links of calls and results, by the message (from 0) and the block that they stand in; -1 for a message that is a result. */
export type CallLinks = ReadonlyMap<string, CallLink>;

/** Where a link is looked up. */
export function placeKey(message: number, block: number): string {
  return `${message}:${block}`;
}

/** Which result answers which call, by the rules that repair a history. Never throws. */
export function callLinks(messages: readonly unknown[]): CallLinks {
  const { pairing, origins } = analyse(messages, "openclaw");
  const links = new Map<string, CallLink>();
  const counts = new Map<number, number>();
  for (const { message, block, id, results } of pairing.calls) {
    const at = origins[message]!;
    const nth = counts.get(at) ?? 0;
    counts.set(at, nth + 1);
    const places = results.map((result) => ({ at: origins[result.message]!, id: result.id }));
    const link = { label: `${at + 1}${lettersOf(nth)}`, call: at + 1, results: places.map((place) => place.at + 1) };
    links.set(placeKey(at, blockOf(messages[at], block, (one) => isCallBlock(one) && idKey(readCall(one).id) === idKey(id))), link);
    for (const place of places) links.set(placeKey(place.at, resultBlock(messages[place.at], place.id)), link);
  }
  return links;
}

/** Also where blocks in front of it were left out by the rules. */
function blockOf(message: unknown, block: number, isIt: (block: unknown) => boolean): number {
  const content = isObject(message) && Array.isArray(message.content) ? (message.content as unknown[]) : [];
  return isIt(content[block]) ? block : content.findIndex(isIt);
}

/** A result may be a block of a user's message. */
function resultBlock(message: unknown, id: unknown): number {
  return isObject(message) && message.role === "user" ? blockOf(message, -1, (block) => isResultBlock(block) && idKey(readResult(block).id) === idKey(id)) : -1;
}

/** a, b, … z, aa, ab, … */
function lettersOf(nth: number): string {
  const last = String.fromCharCode(97 + (nth % 26));
  return nth < 26 ? last : lettersOf(Math.floor(nth / 26) - 1) + last;
}
