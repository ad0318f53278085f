/**
 * Assistant messages that a program has stored twice: calls with the same id and content, with nothing of another role
 * between them, are one call, unless the results behind them differ. A row here is a run of assistant messages with
 * nothing between them.
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

/**
 * Returns the blocks of a row that repeat an earlier block of the same row: calls, and in a row with a repeated call
 * all other blocks too.
 */
export function findCopies(
  messages: readonly Message[],
  calls: readonly StoredCall[],
  results: readonly StoredResult[],
): Copies {
  const copies = new Map<number, Set<number>>();
  const suspects = calls.filter(({ id, partial, failed }) => isUsableId(id) && !partial && !failed);
  const byId = [...groupBy(suspects, ({ id }) => idKey(id)).values()].filter((group) => group.length > 1);
  if (byId.length === 0) return copies;
  const resultsById = groupBy(results, ({ id }) => idKey(id));
  const rowStarts = findRowStarts(messages);
  const starts = new Set<number>();
  for (const group of byId) {
    const byStart = [...groupBy(group, ({ message }) => rowStarts[message]!).entries()];
    byStart.forEach(([start, repeated], at) => {
      const until = byStart[at + 1]?.[0] ?? Infinity;
      const answers = (resultsById.get(idKey(group[0]!.id)) ?? []).filter(
        ({ message, origin }) => origin === "real" && message > start && message < until,
      );
      if (new Set(answers.map(({ source }) => contentKey(readResult(source).content))).size > 1) return;
      for (const same of groupBy(repeated, ({ source }) => blockKey(source)).values())
        for (const { message, block } of same.slice(1)) {
          addTo(copies, message, block);
          starts.add(start);
        }
    });
  }
  for (const start of starts) addRepeatedWords(messages, start, copies);
  return copies;
}

/**
 * Returns for each message of the assistant the index at which its row begins, and for any other message its own
 * index.
 */
function findRowStarts(messages: readonly Message[]): number[] {
  const starts: number[] = [];
  messages.forEach(
    ({ role }, at) => (starts[at] = role === "assistant" && messages[at - 1]?.role === role ? starts[at - 1]! : at),
  );
  return starts;
}

function addRepeatedWords(messages: readonly Message[], start: number, copies: Map<number, Set<number>>): void {
  const seen = new Set<string>();
  for (let at = start; messages[at]?.role === "assistant"; at++)
    // `shapeMessage` has made the content of an assistant a list.
    (messages[at]!.content as unknown[]).forEach((block, index) => {
      if (isCallBlock(block)) return;
      const key = blockKey(block);
      if (seen.has(key)) addTo(copies, at, index);
      seen.add(key);
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

/**
 * Returns a key that is equal for equal blocks. Values under symbols count too: `src/lists` keeps there what a block was
 * read from.
 */
function blockKey(block: unknown): string {
  if (!isObject(block)) return toJson(block);
  const sources = Object.getOwnPropertySymbols(block).map((key) => (block as Record<symbol, unknown>)[key]);
  return toJson([block, ...sources]);
}
