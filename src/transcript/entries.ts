import { shortId } from "./json/hash.ts";
import { isObject, type JsonObject } from "./json/json.ts";
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
  return entries.find(
    (entry): entry is JsonObject => isObject(entry) && entry.type === "session" && typeof entry.id === "string",
  );
}

/** True when the header says that the rows are of the current format. */
export function isCurrentHeader(header: JsonObject | undefined): boolean {
  return typeof header?.version === "number" && header.version >= CURRENT_VERSION;
}

/**
 * Rows of a stored session made loadable without losing a message: a header comes first and is of the current version,
 * every row of the tree has an id of its own and hangs on a row before it, every message can be read. Ids that have to
 * be made depend on the row's place only, so that the same store always gives the same tree. Nothing throws. Issue 2,
 * class L.
 */
export function repairEntries(rows: readonly unknown[], fallback: HeaderFallback): RepairedEntries {
  if (isWell(rows)) return { entries: rows, violations: [] };
  return repairEachEntry(rows, fallback);
}

/**
 * True of rows that nothing can be wrong with, which nearly all are: a header, then entries of the tree, each behind
 * its parent. One look at each.
 */
function isWell(rows: readonly unknown[]): boolean {
  const [header] = rows;
  if (!isObject(header) || header !== findHeader([header]) || !isCurrentHeader(header)) return false;
  const seen = new Set<unknown>([null]);
  for (let at = 1; at < rows.length; at++) {
    const row = rows[at];
    if (!isTreeRow(row) || typeof row.id !== "string" || row.id === "" || seen.has(row.id) || !seen.has(row.parentId))
      return false;
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

/**
 * Rows of which each is a record OpenClaw can read; a message in an unknown shape is brought into one, never left out.
 */
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
    return {
      type: "message",
      id,
      parentId,
      timestamp,
      message: readableMessage(isObject(stored.message) ? stored.message : message),
    };
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
  // Where a record of OpenClaw's own has the id of a row of the tree, the row counts.
  const ways = new Ways(treeLast(rows));
  const kept = indexOfKept(rows);
  let before: string | null = null;
  return rows.map((row) => {
    if (!TREE_TYPES.has(row.type as string)) return row;
    let next = row;
    const { parentId } = row;
    if (parentId !== null && (!ways.has(parentId) || !ways.end(row.id))) {
      violations.add("unknown_parent");
      // The row before may itself hang on this one.
      const parent = before !== null && ways.top(before) === row.id ? null : before;
      ways.hang(row.id, parent);
      next = { ...next, parentId: parent };
    }
    before = row.id as string;
    if (
      row.type === "compaction" &&
      typeof row.firstKeptEntryId !== "string" &&
      typeof row.firstKeptEntryIndex === "number"
    ) {
      next = { ...next, firstKeptEntryId: kept(row.firstKeptEntryIndex) };
    }
    return next;
  });
}

/**
 * Where going up from each row leads: to a row that hangs on nothing, or round in a circle. Every question takes next
 * to no time, whatever the rows.
 */
class Ways {
  readonly #parents = new Map<unknown, unknown>();
  readonly #children = new Map<unknown, unknown[]>();
  /** What does not lead into a circle. */
  readonly #ending = new Set<unknown>();
  /** Some row further up, for those that end. */
  readonly #above = new Map<unknown, unknown>();

  constructor(rows: readonly JsonObject[]) {
    for (const { id, parentId } of rows) if (id !== undefined) this.#parents.set(id, parentId);
    for (const [id, parentId] of this.#parents) {
      if (this.#isTop(parentId)) continue;
      const siblings = this.#children.get(parentId);
      if (siblings) siblings.push(id);
      else this.#children.set(parentId, [id]);
    }
    for (const [id, parentId] of this.#parents) if (this.#isTop(parentId)) this.#ends(id);
  }

  /** Nothing comes before a row with this parent. */
  #isTop(parentId: unknown): boolean {
    return parentId === null || parentId === undefined || !this.#parents.has(parentId);
  }

  has(id: unknown): boolean {
    return this.#parents.has(id);
  }

  /** False for a row whose way up goes round in a circle. */
  end(id: unknown): boolean {
    return this.#ending.has(id);
  }

  /** The last row on the way up from one whose way ends. */
  top(id: unknown): unknown {
    let at = id;
    for (let above = this.#above.get(at); above !== undefined; above = this.#above.get(at)) {
      const further = this.#above.get(above);
      // The way is half as long for whoever asks next.
      if (further !== undefined) this.#above.set(at, further);
      at = above;
    }
    return at;
  }

  /** A row gets another parent, which does not hang on it. */
  hang(id: unknown, parentId: string | null): void {
    if (parentId === null) this.#above.delete(id);
    else this.#above.set(id, parentId);
    this.#ends(id, parentId ?? undefined);
  }

  /** The way from this row ends, and so do those of all that hang on it. */
  #ends(id: unknown, parentId?: unknown): void {
    const found: [id: unknown, above: unknown][] = [[id, parentId]];
    for (let one = found.pop(); one; one = found.pop()) {
      const [at, above] = one;
      if (this.#ending.has(at)) continue;
      this.#ending.add(at);
      if (above !== undefined) this.#above.set(at, above);
      for (const child of this.#children.get(at) ?? []) found.push([child, at]);
    }
  }
}

function treeLast(rows: readonly JsonObject[]): JsonObject[] {
  return [...rows.filter((row) => !isTreeRow(row)), ...rows.filter(isTreeRow)];
}

/** Old formats counted rows, the header included. */
function indexOfKept(rows: readonly JsonObject[]): (index: number) => unknown {
  return (index) => rows[Math.max(0, index - 1)]?.id;
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
    for (
      let at: JsonObject | undefined = row;
      at && !placed.has(at);
      at = isTreeRow(at) ? byId.get(at.parentId) : undefined
    ) {
      placed.add(at);
      chain.push(at);
    }
    if (chain.length > 1) inOrder = false;
    for (let step = chain.pop(); step; step = chain.pop()) out.push(step);
  }
  if (!inOrder) violations.add("child_before_parent");
  return out;
}
