/** The rows of a stored session: read, and made loadable without losing a message. */
import { shortId } from "./json/hash.ts";
import { isObject, toJson, type JsonObject } from "./json/json.ts";
import { isReadableMessage, readableMessage } from "./readable.ts";

/** The version of the stored format that both base releases write. */
const CURRENT_VERSION = 3;

/** Types of rows that form the tree of a session. Other rows are OpenClaw's own records and are not changed. */
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

/** A violation in the rows of a stored session. */
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

/** Rows that can be loaded, and the violations that were repaired. */
export interface RepairedEntries {
  /** The given list itself when there was no violation. */
  entries: readonly unknown[];
  violations: EntryViolation[];
}

/** The fields of a header that is made where there is none. */
export interface HeaderFallback {
  sessionId: string;
  cwd: string;
}

/** True for a row that belongs to the tree of a session. */
export function isTreeRow(row: unknown): row is JsonObject {
  return isObject(row) && TREE_TYPES.has(row.type as string);
}

/** True for a row behind which a conversation begins anew: a summary, or a reset. */
export function isBoundary(row: unknown): row is JsonObject {
  return isObject(row) && (row.type === "compaction" || row.type === "reset");
}

/** True when the row is no record, or belongs to the tree but has no id. */
export function isLostRow(row: unknown): boolean {
  if (!isObject(row) || typeof row.type !== "string") return true;
  return TREE_TYPES.has(row.type) && (typeof row.id !== "string" || row.id === "");
}

/**
 * True for a reply that OpenClaw 2026.2 itself has put into a transcript, to a chat command for example: it is appended
 * to the file without a parent.
 */
export function isUnlinkedReply(row: JsonObject): boolean {
  if (row.type !== "message" || row.parentId !== undefined || !isObject(row.message)) return false;
  return row.message.role === "assistant" && row.message.stopReason === "injected";
}

/** Returns the row with a message that OpenClaw can read; the same row when its message is readable. */
export function readableRow(row: unknown): unknown {
  if (!isObject(row) || row.type !== "message" || isReadableMessage(row.message)) return row;
  return { ...row, message: readableMessage(row.message) };
}

/** Returns the session header among rows, or undefined. */
export function findHeader(entries: readonly unknown[]): JsonObject | undefined {
  return entries.find(
    (entry): entry is JsonObject => isObject(entry) && entry.type === "session" && typeof entry.id === "string",
  );
}

/** True when the header's version is the current one or later. */
export function isCurrentHeader(header: JsonObject | undefined): boolean {
  return typeof header?.version === "number" && header.version >= CURRENT_VERSION;
}

/**
 * Makes the rows of a stored session loadable without losing a message: the header comes first and has the current
 * version, each row of the tree has a unique id and a parent before it, each message can be read. New ids depend only
 * on the row's position, so that the same store always gives the same tree. Never throws.
 */
export function repairEntries(rows: readonly unknown[], fallback: HeaderFallback): RepairedEntries {
  if (isValidTree(rows)) return { entries: rows, violations: [] };
  return repairEachEntry(rows, fallback);
}

/**
 * True for rows that are certainly valid, as nearly all are: a header, then rows of the tree, each behind its parent.
 * Reads each row once.
 */
function isValidTree(rows: readonly unknown[]): boolean {
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

/** Does the same as {@link repairEntries}, without its short cut for valid rows. */
export function repairEachEntry(rows: readonly unknown[], fallback: HeaderFallback): RepairedEntries {
  const violations = new Set<EntryViolation>();
  const header = soundHeader(rows, fallback, violations);
  const tree = rows.filter((row) => row !== header.source && !(isObject(row) && row.type === "session"));
  if (tree.length < rows.length - (header.source ? 1 : 0)) violations.add("foreign_row");
  const read = readableRows(tree, violations);
  const named = nameRows(read, violations);
  const entries = [header.row, ...orderRows(linkRows(named, violations), violations)];
  if (violations.size === 0) return { entries: rows, violations: [] };
  if (isFirstVersion(header.source) && !tree.some(isNamed))
    for (const kind of OF_FIRST_VERSION) violations.delete(kind);
  return { entries, violations: [...violations] };
}

/** What rows of version 1 lack, all of them: with an old header that is no other fault. */
const OF_FIRST_VERSION = ["missing_entry_id", "unknown_parent"] as const;

function isFirstVersion(header: JsonObject | undefined): boolean {
  return header !== undefined && (header.version === undefined || header.version === 1);
}

function isNamed(row: unknown): boolean {
  return isObject(row) && row.id !== undefined;
}

/** Makes a header for rows that have none, with the time of the first of them. */
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
 * Makes each row a record that OpenClaw can read; a message in an unknown shape is converted, never left out.
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

/**
 * Gives every row of the tree a unique id. Where several rows have one id, a row behind them continues the newest of
 * them; a row that is only stored twice is no newer one.
 */
function nameRows(rows: readonly JsonObject[], violations: Set<EntryViolation>): JsonObject[] {
  const taken = new Set(rows.map((row) => row.id));
  const newest = new Map<unknown, { id: unknown; row: JsonObject }>();
  return rows.map((row, at) => {
    if (!TREE_TYPES.has(row.type as string)) return row;
    const hasId = typeof row.id === "string" && row.id !== "";
    const before = newest.get(row.id);
    if (hasId && !before) {
      newest.set(row.id, { id: row.id, row });
      const parent = newest.get(row.parentId);
      return parent && parent.id !== row.parentId ? { ...row, parentId: parent.id } : row;
    }
    violations.add(hasId ? "duplicate_entry_id" : "missing_entry_id");
    let id = shortId(`entry\u0000${at}`).slice(0, 8);
    for (let salt = 0; taken.has(id); salt++) id = shortId(`entry\u0000${at}\u0000${salt}`).slice(0, 8);
    taken.add(id);
    if (hasId && toJson(before!.row) !== toJson(row)) newest.set(row.id, { id, row });
    // With ambiguous ids the stored parent is uncertain: linkRows makes the row before this one the parent.
    const { parentId: _ambiguous, ...rest } = row;
    return { ...rest, id };
  });
}

/**
 * Gives every row whose parent is missing, or whose chain of parents is a circle, the row before it as parent. An
 * unlinked reply cuts nothing off as long as no row is appended behind it: it stays as it is.
 */
function linkRows(rows: readonly JsonObject[], violations: Set<EntryViolation>): JsonObject[] {
  // Where one of OpenClaw's own records has the same id as a row of the tree, the row wins.
  const chains = new ParentChains(treeLast(rows));
  const kept = indexOfKept(rows);
  const last = rows.findLast(isTreeRow);
  let before: string | null = null;
  return rows.map((row) => {
    if (!TREE_TYPES.has(row.type as string)) return row;
    if (isUnlinkedReply(row) && row !== last && !chains.isParent(row.id)) return row;
    let next = row;
    const { parentId } = row;
    if (parentId !== null && (!chains.has(parentId) || !chains.ends(row.id))) {
      violations.add("unknown_parent");
      // The row before may itself be a descendant of this one.
      const parent = before !== null && chains.top(before) === row.id ? null : before;
      chains.setParent(row.id, parent);
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
 * Answers for each row whether its chain of parents ends at a row without a parent, or is a circle. Each query takes
 * nearly constant time, whatever the rows.
 */
class ParentChains {
  readonly #parents = new Map<unknown, unknown>();
  readonly #children = new Map<unknown, unknown[]>();
  /** Ids whose chain ends. */
  readonly #ending = new Set<unknown>();
  /** By an id whose chain ends: some row further up in the chain. */
  readonly #above = new Map<unknown, unknown>();

  constructor(rows: readonly JsonObject[]) {
    for (const { id, parentId } of rows) if (id !== undefined) this.#parents.set(id, parentId);
    for (const [id, parentId] of this.#parents) {
      if (this.#isTop(parentId)) continue;
      const siblings = this.#children.get(parentId);
      if (siblings) siblings.push(id);
      else this.#children.set(parentId, [id]);
    }
    for (const [id, parentId] of this.#parents) if (this.#isTop(parentId)) this.#markEnding(id);
  }

  /** True when a row with this parent id has no parent among the rows. */
  #isTop(parentId: unknown): boolean {
    return parentId === null || parentId === undefined || !this.#parents.has(parentId);
  }

  has(id: unknown): boolean {
    return this.#parents.has(id);
  }

  isParent(id: unknown): boolean {
    return this.#children.has(id);
  }

  /** False for a row whose chain of parents is a circle. */
  ends(id: unknown): boolean {
    return this.#ending.has(id);
  }

  /** Returns the topmost row of a chain that ends. */
  top(id: unknown): unknown {
    let at = id;
    for (let above = this.#above.get(at); above !== undefined; above = this.#above.get(at)) {
      const further = this.#above.get(above);
      // Path halving: the next query takes half the steps.
      if (further !== undefined) this.#above.set(at, further);
      at = above;
    }
    return at;
  }

  /** Gives a row another parent, which must not be its descendant. */
  setParent(id: unknown, parentId: string | null): void {
    if (parentId === null) this.#above.delete(id);
    else this.#above.set(id, parentId);
    this.#markEnding(id, parentId ?? undefined);
  }

  /** Records that the chains of this row and of all its descendants end. */
  #markEnding(id: unknown, parentId?: unknown): void {
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

/** Returns a look-up for indices of old formats, which counted rows, the header included. */
function indexOfKept(rows: readonly JsonObject[]): (index: number) => unknown {
  return (index) => rows[Math.max(0, index - 1)]?.id;
}

/** Puts parents before children and keeps the order otherwise: the session continues behind the last row. */
function orderRows(rows: readonly JsonObject[], violations: Set<EntryViolation>): JsonObject[] {
  const placed = new Set<unknown>();
  const byId = new Map(rows.filter(isTreeRow).map((row) => [row.id, row]));
  let inOrder = true;
  const out: JsonObject[] = [];
  for (const row of rows) {
    const chain: JsonObject[] = [];
    // Only rows of the tree are moved; OpenClaw's own records stay where they are.
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
