import { buildTree } from "../store/sessions/entry-tree.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { History } from "./history.ts";

/**
 * Builds the history of a stored session from its rows as a catalog reads them, from a file or a database; rows that
 * move the leaf are applied.
 */
export function historyOfRows(rows: readonly unknown[], options: { readonly overResets?: boolean } = {}): History {
  const tree = buildTree(rows);
  const entries = rows.filter(
    (row): row is JsonObject & { id: string } => isObject(row) && typeof row.id === "string" && tree.has(row.id),
  );
  // When two rows have the same id, the later one counts, as in OpenClaw.
  const last = new Map(entries.map((entry) => [entry.id, entry]));
  return new History(
    [...last.values()].map((entry) => ({ ...entry, parentId: tree.parentId(entry.id) })),
    (tree.path.at(-1)?.id as string | undefined) ?? null,
    options,
  );
}
