import { isObject } from "../../transcript/json/json.ts";
import type { EntryViolation } from "../../transcript/entries.ts";

/** How many rows of one fault are marked: a transcript of an old format has it in every row. */
const MARKED = 10;

/**
 * Which entries had to be put right so that they can be loaded, and what for: the rows as they are loaded, beside the
 * stored ones. Only the first of each fault; nobody reads that all of a thousand entries have no id.
 */
export function rowFaultsIn(
  stored: readonly unknown[],
  loaded: readonly unknown[],
  found: readonly EntryViolation[],
): Map<unknown, EntryViolation[]> {
  const faults = new Map<unknown, EntryViolation[]>();
  if (found.length === 0) return faults;
  const as = new Set(stored);
  const byId = new Map(stored.filter(isObject).map((row) => [row.id, row]));
  const counts = new Map<EntryViolation, number>();
  for (const row of loaded) {
    if (as.has(row) || !isObject(row) || row.type === "session") continue;
    const before = byId.get(row.id);
    const kinds = found.filter((kind) => {
      if (before === undefined)
        return kind === "missing_entry_id" || kind === "duplicate_entry_id" || kind === "foreign_row";
      return (
        (kind === "unknown_parent" && before.parentId !== row.parentId) ||
        (kind === "unreadable_message" && before.message !== row.message)
      );
    });
    const marked = kinds.filter((kind) => (counts.get(kind) ?? 0) < MARKED);
    for (const kind of marked) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (marked.length > 0) faults.set(row.id, marked);
  }
  return faults;
}
