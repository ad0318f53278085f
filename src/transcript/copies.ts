/**
 * Assistant messages that a program has stored twice: calls with the same id and content, with nothing of another role
 * between them, are one call, unless the results behind them differ.
 */
import { groupBy } from "../base/group-by.ts";
import { isObject, type JsonObject, toJson } from "./json/json.ts";
import type { ResultOrigin } from "./invented.ts";
import type { Message } from "./look.ts";
import { idKey, isCallBlock, isUsableId, readResult } from "./read.ts";

/** A call or a result, and its place. */
interface Stored {
  readonly id: unknown;
  readonly message: number;
  readonly block: number;
  readonly source: JsonObject;
}
type StoredCall = Stored & { readonly partial: boolean; readonly failed: boolean };
type StoredResult = Stored & { readonly origin: ResultOrigin };

/** Blocks that are stored once more, by the index of their message. */
export type Copies = ReadonlyMap<number, ReadonlySet<number>>;

/** Returns the blocks that only repeat what the messages of the assistant before them have, calls among them. */
export function findCopies(
  messages: readonly Message[],
  calls: readonly StoredCall[],
  results: readonly StoredResult[],
): Copies {
  const copies = new Map<number, Set<number>>();
  const suspects = calls.filter(({ id, partial, failed }) => isUsableId(id) && !partial && !failed);
  const byId = [...groupBy(suspects, ({ id }) => idKey(id)).values()].filter((group) => group.length > 1);
  if (byId.length === 0) return copies;
  const said = groupBy(results, ({ id }) => idKey(id));
  const first = firstOfTurns(messages);
  const turns = new Set<number>();
  for (const group of byId) {
    const inTurns = [...groupBy(group, ({ message }) => first[message]!).entries()];
    inTurns.forEach(([turn, repeated], at) => {
      const until = inTurns[at + 1]?.[0] ?? Infinity;
      const answers = (said.get(idKey(group[0]!.id)) ?? []).filter(
        ({ message, origin }) => origin === "real" && message > turn && message < until,
      );
      if (new Set(answers.map(({ source }) => contentKey(readResult(source).content))).size > 1) return;
      for (const same of groupBy(repeated, ({ source }) => blockKey(source)).values())
        for (const { message, block } of same.slice(1)) {
          addTo(copies, message, block);
          turns.add(turn);
        }
    });
  }
  for (const turn of turns) addRepeatedWords(messages, turn, copies);
  return copies;
}

/** Returns for each message where the messages of one role begin that it belongs to. */
function firstOfTurns(messages: readonly Message[]): number[] {
  const first: number[] = [];
  messages.forEach(
    ({ role }, at) => (first[at] = role === "assistant" && messages[at - 1]?.role === role ? first[at - 1]! : at),
  );
  return first;
}

function addRepeatedWords(messages: readonly Message[], turn: number, copies: Map<number, Set<number>>): void {
  const said = new Set<string>();
  for (let at = turn; messages[at]?.role === "assistant"; at++)
    (messages[at]!.content as unknown[]).forEach((block, index) => {
      if (isCallBlock(block)) return;
      const key = blockKey(block);
      if (said.has(key)) addTo(copies, at, index);
      said.add(key);
    });
}

function addTo(copies: Map<number, Set<number>>, message: number, block: number): void {
  const known = copies.get(message);
  if (known) known.add(block);
  else copies.set(message, new Set([block]));
}

function contentKey(content: unknown): string {
  return Array.isArray(content) ? content.map(blockKey).join("\n") : toJson(content);
}

/** Names a block by its content, with what it was read from, which those who read it keep under a symbol. */
function blockKey(block: unknown): string {
  if (!isObject(block)) return toJson(block);
  const sources = Object.getOwnPropertySymbols(block).map((key) => (block as Record<symbol, unknown>)[key]);
  return toJson([block, ...sources]);
}
