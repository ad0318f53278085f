import type { JsonObject } from "../../transcript/json/json.ts";

/** An entry of a path, without what it says. */
interface PathEntry {
  readonly id: string;
  readonly type: string;
}

/** The entries of a path that are messages. */
export function messagesIn<Entry extends PathEntry>(path: readonly Entry[]): readonly Entry[] {
  return path.filter(({ type }) => type === "message");
}

/** Entries that are no message and that a model is sent all the same, as one of the user's. */
export const SHOWN_NOTES: ReadonlySet<unknown> = new Set(["custom_message", "branch_summary", "compaction"]);

/** How many items two lists begin with in common. */
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
 * Behind which entry of `path` a changed context goes on whose first `same` entries stay. `boundary` is the last
 * compaction or reset when it lies behind the first change: what it says (the summary) has to be said again, behind the
 * whole context.
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

function isBoundary({ type }: PathEntry): boolean {
  return type === "compaction" || type === "reset";
}

/**
 * The part of a path that a model is sent: from the first entry that the last compaction or reset kept, or from that
 * boundary on. The whole path when there is none. `read` gives an entry in full; it is asked for the boundary only.
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
