import type { JsonObject } from "../../transcript/json.ts";

/** An entry of a path, without what it says. */
interface PathEntry {
  readonly id: string;
  readonly type: string;
}

/**
 * The part of a path that a model is sent: from the first entry that the last compaction or reset kept, or from that boundary on. The
 * whole path when there is none. `read` gives an entry in full; it is asked for the boundary only.
 */
export function contextPath<Entry extends PathEntry>(path: readonly Entry[], read: (entry: Entry) => JsonObject): readonly Entry[] {
  const boundary = path.findLastIndex(({ type }) => type === "compaction" || type === "reset");
  if (boundary < 0) return path;
  const { firstKeptEntryId } = read(path[boundary]!);
  const kept = path.findIndex(({ id }) => id === firstKeptEntryId);
  return path.slice(kept >= 0 && kept < boundary ? kept : boundary);
}
