/** The answer of the tool `timeline`: JSON that fits into a number of bytes, however large the session is. */
import { jsonInline } from "../../base/quoted.ts";
import { cut } from "../cut.ts";
import type { AgentTimeline } from "../live.ts";
import { formatMinute } from "../../base/time.ts";
import type { TimelineNode } from "../timeline.ts";

/**
 * Bytes of an answer unless the agent asks for a number of places: below 1,500 tokens (cl100k) also where all words are
 * random letters, emoji or Hebrew; some 900 where they are English.
 */
export const COMPACT_BYTES = 2800;
/** Bytes of the longest item of a list: ids and names of other programs can have any length. */
const MAX_ITEM = 600;
const FIRST_WORDS = 60;

/** Every list that an answer can have, in its order, and how many items of it are listed unless more are asked for. */
const LISTS = { names: 20, places: 20, branches: 10, departures: 5, checkpoints: 5 } as const;
type ListName = keyof typeof LISTS;

/** A list on its way into the answer. */
interface List {
  readonly name: ListName;
  /** The items as JSON. */
  readonly items: string[];
  /** How many items there are in all. */
  readonly total: number;
}

/** How an answer is made. */
export interface CompactOptions {
  /** The most bytes that the answer has; {@link COMPACT_BYTES} by default. */
  readonly bytes?: number;
  /** How many items of each list at most; by default fewer of the less important ones. */
  readonly most?: number;
  /** The name that was given to a place by this call. */
  readonly marked?: object | undefined;
}

/**
 * Returns the places of a session as JSON of at most `bytes` bytes. Whole items are left out, of the longest
 * list first, until the answer fits; `left_out` counts them, and `more` says how to ask for them.
 */
export function compactTimeline(
  answer: AgentTimeline,
  { bytes = COMPACT_BYTES, most, marked }: CompactOptions = {},
): string {
  const all: Record<ListName, { readonly items: readonly object[]; readonly total: number }> = {
    names: listed(answer.names),
    places: listed(answer.nodes.map(compactNode), answer.more),
    branches: listed(answer.branches.map(compactNode), answer.more_branches),
    departures: listed(answer.departures.map(({ time, ...move }) => ({ ...move, time: formatMinute(time) }))),
    checkpoints: listed(answer.checkpoints.map(({ time, ...place }) => ({ ...place, time: formatMinute(time) }))),
  };
  const lists = (Object.keys(LISTS) as ListName[])
    .map((name): List => {
      const { items, total } = all[name];
      const texts = items.slice(0, most ?? LISTS[name]).map(jsonInline);
      return { name, items: texts.filter((text) => Buffer.byteLength(text) <= MAX_ITEM), total };
    })
    .filter(({ total }) => total > 0);
  const head = answer.head !== null && Buffer.byteLength(answer.head) > MAX_ITEM ? null : answer.head;
  for (;;) {
    const text = writeView(head, lists, marked);
    const excess = Buffer.byteLength(text) - bytes;
    if (excess <= 0 || !shorten(lists, excess)) return text;
  }
}

function listed(items: readonly object[], more = 0): { readonly items: readonly object[]; readonly total: number } {
  return { items, total: items.length + more };
}

function compactNode({ id, role, first_words, time, turns_back: back }: TimelineNode): object {
  const words = first_words.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return {
    id,
    role,
    words: cut(words, FIRST_WORDS),
    time: formatMinute(time),
    ...(back !== null && { turns_back: back }),
  };
}

function writeView(here: string | null, lists: readonly List[], marked: object | undefined): string {
  const leftOut = lists.flatMap(({ name, items, total }) =>
    items.length < total ? [`${JSON.stringify(name)}:${total - items.length}`] : [],
  );
  return `{${[
    ...(marked === undefined ? [] : [`"marked":${jsonInline(marked)}`]),
    `"here":${jsonInline(here)}`,
    ...lists.map(({ name, items }) => `${JSON.stringify(name)}:[${items.join(",")}]`),
    ...(leftOut.length === 0 ? [] : [`"left_out":{${leftOut.join(",")}}`, `"more":${JSON.stringify(MORE)}`]),
  ].join(",")}}`;
}

const MORE =
  "Call timeline with limit for more of each, or with before and the id of a place for older ones; tobe accepts " +
  "turn:-n without them.";

/** Leaves out items from the end of the longest lists, of `excess` bytes in all. False when there are none left. */
function shorten(lists: readonly List[], excess: number): boolean {
  const sizes = new Map(lists.map((list) => [list, list.items.reduce((sum, item) => sum + itemBytes(item), 0)]));
  let removedBytes = 0;
  while (removedBytes < excess) {
    const longest = lists.reduce<List | undefined>(
      (one, other) => (other.items.length > 0 && (!one || sizes.get(other)! > sizes.get(one)!) ? other : one),
      undefined,
    );
    const item = longest?.items.pop();
    if (longest === undefined || item === undefined) return removedBytes > 0;
    sizes.set(longest, sizes.get(longest)! - itemBytes(item));
    removedBytes += itemBytes(item);
  }
  return true;
}

/** Bytes of an item with its comma. */
function itemBytes(item: string): number {
  return Buffer.byteLength(item) + 1;
}
