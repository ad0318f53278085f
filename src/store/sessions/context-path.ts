/** The part of a path that a model is sent, and where a changed one branches off. */
import { isBoundary } from "../../transcript/entries.ts";
import type { JsonObject } from "../../transcript/json/json.ts";

/** An entry of a path without its content. */
interface PathEntry {
  readonly id: string;
  readonly type: string;
}

/** Returns the message entries of a path. */
export function messagesIn<Entry extends PathEntry>(path: readonly Entry[]): readonly Entry[] {
  return path.filter(({ type }) => type === "message");
}

/** Types of entries that are no messages but are sent to the model as user messages. */
export const SHOWN_NOTES: ReadonlySet<unknown> = new Set(["custom_message", "branch_summary", "compaction"]);

/** Length of the common beginning of two lists. */
export function commonLength<Item>(
  left: readonly Item[],
  right: readonly Item[],
  isSame: (one: Item, other: Item) => boolean = Object.is,
): number {
  const end = Math.min(left.length, right.length);
  let same = 0;
  while (same < end && isSame(left[same]!, right[same]!)) same++;
  return same;
}

/**
 * Finds the entry of `path` after which a changed context is appended, when its first `same` entries stay. `boundary`
 * is the last compaction or reset, if it comes after the first change: then the whole context is appended again, and
 * the boundary with its summary after it.
 */
export function branchPoint<Entry extends PathEntry>(
  path: readonly Entry[],
  context: readonly Entry[],
  same: number,
): { readonly parentId: string | null; readonly boundary: Entry | undefined } {
  const at = (entry: Entry | undefined): number => path.findIndex(({ id }) => id === entry?.id);
  const boundary = path.findLastIndex(isBoundary);
  const changed = context[same] ? at(context[same]) : path.length;
  if (changed < boundary) return { parentId: null, boundary: path[boundary] };
  const parent = same > 0 ? at(context[same - 1]) : changed - 1;
  return { parentId: path[Math.max(parent, boundary)]?.id ?? null, boundary: undefined };
}

/**
 * Returns the part of a path that is sent to a model: from the first entry that the last compaction or reset kept, or
 * from that boundary on; the whole path when there is none. `read` returns an entry in full and is called for the
 * boundary only.
 */
export function contextPath<Entry extends PathEntry>(
  path: readonly Entry[],
  read: (entry: Entry) => JsonObject,
): readonly Entry[] {
  const boundary = path.findLastIndex(isBoundary);
  if (boundary < 0) return path;
  const { firstKeptEntryId } = read(path[boundary]!);
  const kept = path.findIndex(({ id }) => id === firstKeptEntryId);
  return path.slice(kept >= 0 && kept < boundary ? kept : boundary);
}
