import { shortId } from "./hash.ts";
import { isObject, type JsonObject } from "./json.ts";
import { isReadableMessage, readableMessage } from "./readable.ts";

/** The version of the stored format that both base releases write. */
const CURRENT_VERSION = 3;

/** Rows that form the tree of a session. Rows of other types are OpenClaw's own records; they are left as they are. */
const TREE_TYPES = new Set([
  "message",
  "thinking_level_change",
  "model_change",
  "compaction",
  "branch_summary",
  "custom",
  "custom_message",
  "label",
  "session_info",
  "reset",
]);

/** What was wrong with the rows of a stored session. */
export type EntryViolation =
  | "missing_header"
  | "misplaced_header"
  | "old_header"
  | "foreign_row"
  | "missing_entry_id"
  | "duplicate_entry_id"
  | "unknown_parent"
  | "child_before_parent"
  | "unreadable_message";

/** Rows that can be loaded, and what had to be done for it. */
export interface RepairedEntries {
  /** The very list that was given when nothing was wrong. */
  entries: readonly unknown[];
  violations: EntryViolation[];
}

/** What a header is made of when there is none. */
export interface HeaderFallback {
  sessionId: string;
  cwd: string;
}

/** True for a row that stands in the tree of a session. */
export function isTreeRow(row: unknown): row is JsonObject {
  return isObject(row) && TREE_TYPES.has(row.type as string);
}

/** True when the row cannot be found in the tree: it is no record, or has no id. */
export function isLostRow(row: unknown): boolean {
  if (!isObject(row) || typeof row.type !== "string") return true;
  return TREE_TYPES.has(row.type) && (typeof row.id !== "string" || row.id === "");
}

/** The row with a message that OpenClaw can read; itself when it is so already. */
export function readableRow(row: unknown): unknown {
  if (!isObject(row) || row.type !== "message" || isReadableMessage(row.message)) return row;
  return { ...row, message: readableMessage(row.message) };
}

/** The session header among rows, or undefined. */
export function findHeader(entries: readonly unknown[]): JsonObject | undefined {
  return entries.find((entry): entry is JsonObject => isObject(entry) && entry.type === "session" && typeof entry.id === "string");
}

/** True when the header says that the rows are of the current format. */
export function isCurrentHeader(header: JsonObject | undefined): boolean {
  return typeof header?.version === "number" && header.version >= CURRENT_VERSION;
}

/**
 * Rows of a stored session made loadable without losing a message: a header comes first and is of the current version, every
 * row of the tree has an id of its own and hangs on a row before it, every message can be read. Ids that have to be made
 * depend on the row's place only, so that the same store always gives the same tree. Nothing throws. Issue 2, class L.
 */
export function repairEntries(rows: readonly unknown[], fallback: HeaderFallback): RepairedEntries {
  if (isWell(rows)) return { entries: rows, violations: [] };
  return repairEachEntry(rows, fallback);
}

/** True of rows that nothing can be wrong with, which nearly all are: a header, then entries of the tree, each behind its parent. One look at each. */
function isWell(rows: readonly unknown[]): boolean {
  const [header] = rows;
  if (!isObject(header) || header !== findHeader([header]) || !isCurrentHeader(header)) return false;
  const seen = new Set<unknown>([null]);
  for (let at = 1; at < rows.length; at++) {
    const row = rows[at];
    if (!isTreeRow(row) || typeof row.id !== "string" || row.id === "" || seen.has(row.id) || !seen.has(row.parentId)) return false;
    if (readableRow(row) !== row) return false;
    seen.add(row.id);
  }
  return true;
}

/** {@link repairEntries} without its short cut. */
export function repairEachEntry(rows: readonly unknown[], fallback: HeaderFallback): RepairedEntries {
  const violations = new Set<EntryViolation>();
  const header = soundHeader(rows, fallback, violations);
  const tree = rows.filter((row) => row !== header.source && !(isObject(row) && row.type === "session"));
  if (tree.length < rows.length - (header.source ? 1 : 0)) violations.add("foreign_row");
  const read = readableRows(tree, violations);
  const named = nameRows(read, violations);
  const entries = [header.row, ...orderRows(linkRows(named, violations), violations)];
  if (violations.size === 0) return { entries: rows, violations: [] };
  return { entries, violations: [...violations] };
}

/** A header for rows that have none, of the time of the first of them. */
export function makeHeader(rows: readonly unknown[], { sessionId, cwd }: HeaderFallback): JsonObject {
  const first = rows.find((row): row is JsonObject => isObject(row) && typeof row.timestamp === "string");
  const timestamp = first?.timestamp ?? new Date(0).toISOString();
  return { type: "session", version: CURRENT_VERSION, id: sessionId, timestamp, cwd };
}

function soundHeader(
  rows: readonly unknown[],
  fallback: HeaderFallback,
  violations: Set<EntryViolation>,
): { row: JsonObject; source: JsonObject | undefined } {
  const source = findHeader(rows);
  if (!source) {
    violations.add("missing_header");
    return { row: makeHeader(rows, fallback), source };
  }
  if (source !== rows[0]) violations.add("misplaced_header");
  if (isCurrentHeader(source)) return { row: source, source };
  violations.add("old_header");
  return { row: { ...source, version: CURRENT_VERSION }, source };
}

/** Rows of which each is a record OpenClaw can read; a message in an unknown shape is brought into one, never left out. */
function readableRows(rows: readonly unknown[], violations: Set<EntryViolation>): JsonObject[] {
  return rows.map((stored) => {
    if (isObject(stored) && typeof stored.type === "string") {
      const row = readableRow(stored) as JsonObject;
      if (row !== stored) violations.add("unreadable_message");
      return row;
    }
    violations.add("foreign_row");
    if (!isObject(stored)) return { type: "message", message: readableMessage(stored) };
    // Some clients store bare messages.
    const { id, parentId, timestamp, ...message } = stored;
    return { type: "message", id, parentId, timestamp, message: readableMessage(isObject(stored.message) ? stored.message : message) };
  });
}

/** Gives every row of the tree an id of its own. */
function nameRows(rows: readonly JsonObject[], violations: Set<EntryViolation>): JsonObject[] {
  const taken = new Set(rows.map((row) => row.id));
  const seen = new Set<unknown>();
  return rows.map((row, at) => {
    if (!TREE_TYPES.has(row.type as string)) return row;
    const hasId = typeof row.id === "string" && row.id !== "";
    if (hasId && !seen.has(row.id)) {
      seen.add(row.id);
      return row;
    }
    violations.add(hasId ? "duplicate_entry_id" : "missing_entry_id");
    let id = shortId(`entry\u0000${at}`).slice(0, 8);
    for (let salt = 0; taken.has(id); salt++) id = shortId(`entry\u0000${at}\u0000${salt}`).slice(0, 8);
    taken.add(id);
    // Its parent was named by ids that cannot be told apart: it hangs on the row before it.
    const { parentId: _ambiguous, ...rest } = row;
    return { ...rest, id };
  });
}

/** Hangs every row whose parent is not there (or is below it) on the row before it. */
function linkRows(rows: readonly JsonObject[], violations: Set<EntryViolation>): JsonObject[] {
  const parents = new Map<unknown, unknown>();
  // Where a record of OpenClaw's own has the id of a row of the tree, the row counts.
  for (const row of treeLast(rows)) if (row.id !== undefined) parents.set(row.id, row.parentId);
  const ids = rows.filter((row) => TREE_TYPES.has(row.type as string)).map((row) => row.id as string);
  const indexById = new Map(ids.map((id, at) => [id, at]));
  const kept = indexOfKept(rows);
  const sound = new Set<unknown>();
  return rows.map((row) => {
    if (!TREE_TYPES.has(row.type as string)) return row;
    let next = row;
    const at = indexById.get(row.id as string)!;
    const { parentId } = row;
    if (parentId !== null && (!parents.has(parentId) || loops(parents, row.id, sound))) {
      violations.add("unknown_parent");
      let before = at > 0 ? ids[at - 1]! : null;
      parents.set(row.id, before);
      // The row before may itself hang on this one.
      if (loops(parents, row.id, sound)) parents.set(row.id, (before = null));
      next = { ...next, parentId: before };
    }
    if (row.type === "compaction" && typeof row.firstKeptEntryId !== "string" && typeof row.firstKeptEntryIndex === "number") {
      next = { ...next, firstKeptEntryId: kept(row.firstKeptEntryIndex) };
    }
    return next;
  });
}

function treeLast(rows: readonly JsonObject[]): JsonObject[] {
  return [...rows.filter((row) => !isTreeRow(row)), ...rows.filter(isTreeRow)];
}

/** Old formats counted rows, the header included. */
function indexOfKept(rows: readonly JsonObject[]): (index: number) => unknown {
  return (index) => rows[Math.max(0, index - 1)]?.id;
}

/**
 * True when going up from `id` comes back to it. What was found to lead to a root is remembered in `sound`, so that a whole
 * session is walked once.
 */
function loops(parents: ReadonlyMap<unknown, unknown>, id: unknown, sound: Set<unknown>): boolean {
  const way = new Set<unknown>();
  let at = id;
  for (; at !== undefined && at !== null && !sound.has(at); at = parents.get(at)) {
    if (way.has(at)) return true;
    way.add(at);
  }
  // A way that ends at a parent that is not there leads nowhere yet.
  if (at !== undefined) for (const step of way) sound.add(step);
  return false;
}

/** Parents before children, otherwise in the order they were: the last row is the one the conversation goes on from. */
function orderRows(rows: readonly JsonObject[], violations: Set<EntryViolation>): JsonObject[] {
  const placed = new Set<unknown>();
  const byId = new Map(rows.filter(isTreeRow).map((row) => [row.id, row]));
  let inOrder = true;
  const out: JsonObject[] = [];
  for (const row of rows) {
    const chain: JsonObject[] = [];
    // Only rows of the tree are put in order; OpenClaw's own records stay where they are.
    for (let at: JsonObject | undefined = row; at && !placed.has(at); at = isTreeRow(at) ? byId.get(at.parentId) : undefined) {
      placed.add(at);
      chain.push(at);
    }
    if (chain.length > 1) inOrder = false;
    out.push(...chain.toReversed());
  }
  if (!inOrder) violations.add("child_before_parent");
  return out;
}
