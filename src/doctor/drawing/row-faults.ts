import { isObject } from "../../transcript/json/json.ts";
import type { EntryViolation } from "../../transcript/entries.ts";

/** Maximum number of rows marked for each fault: a transcript without ids has the fault in every row. */
const MAX_MARKED = 10;

/**
 * Returns the faults of rows by the id of their entry. Compares the rows as they are loaded with the stored rows. Only
 * the first rows of each fault are reported.
 */
export function rowFaultsIn(
  stored: readonly unknown[],
  loaded: readonly unknown[],
  found: readonly EntryViolation[],
): Map<unknown, EntryViolation[]> {
  const faults = new Map<unknown, EntryViolation[]>();
  if (found.length === 0) return faults;
  const unchanged = new Set(stored);
  const byId = new Map(stored.filter(isObject).map((row) => [row.id, row]));
  const counts = new Map<EntryViolation, number>();
  for (const row of loaded) {
    if (unchanged.has(row) || !isObject(row) || row.type === "session") continue;
    const before = byId.get(row.id);
    const kinds = found.filter((kind) => {
      if (before === undefined)
        return kind === "missing_entry_id" || kind === "duplicate_entry_id" || kind === "foreign_row";
      return (
        (kind === "unknown_parent" && before.parentId !== row.parentId) ||
        (kind === "unreadable_message" && before.message !== row.message)
      );
    });
    const marked = kinds.filter((kind) => (counts.get(kind) ?? 0) < MAX_MARKED);
    for (const kind of marked) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (marked.length > 0) faults.set(row.id, marked);
  }
  return faults;
}
