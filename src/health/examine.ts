import { homedir } from "node:os";
import { contextPath, messagesIn, SHOWN_NOTES } from "../store/sessions/context-path.ts";
import { TranscriptTree, type Place } from "../store/sessions/transcript-tree.ts";
import type { StoredRows } from "../store/catalog/summary.ts";
import { repairEntries, type EntryViolation } from "../transcript/entries.ts";
import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { validate } from "../transcript/validate.ts";
import { isFailedTurn } from "../transcript/read.ts";
import type { Violation, ViolationKind } from "../transcript/violations.ts";

const OF_FAILED_TURNS: ReadonlySet<ViolationKind> = new Set([
  "skipped_tool_call",
  "incomplete_tool_call",
  "empty_message",
]);

/** What may be wrong with what OpenClaw keeps beside the rows. */
export type IndexFault = "outdated_index";

/** What is wrong with a stored session; nothing of what was said in it. */
export interface Examination {
  /** How many messages a model would be sent. */
  messages: number;
  /** What is wrong with these messages. */
  violations: Violation[];
  /** Calls at the very end that have no result yet: a turn is under way, or was when OpenClaw ended. */
  openCalls: number;
  /** Faults of turns that failed, which OpenClaw leaves out of what it sends. */
  leftOut: number;
  /** What is wrong with the rows that they stand in. */
  entries: EntryViolation[];
  /**
   * Of rows in OpenClaw's database: turns without a gateway fail until its index of them is rebuilt (2026.9.6: for
   * good). Missing when it is up to date.
   */
  index?: IndexFault;
  /** Lines that are no JSON. */
  unreadable: number;
  /** Length of a last line that was cut off, in bytes. */
  torn: number;
}

/** The rows as they can be loaded, and the messages of them that a model would be sent. */
export interface Conversation {
  rows: readonly unknown[];
  /** The rows of the active path. */
  path: readonly JsonObject[];
  messages: readonly unknown[];
  entries: EntryViolation[];
}

/** Whether a session needs a repair. Lines that OpenClaw passes over do it no harm. */
export function isSound({ violations, entries, index }: Examination): boolean {
  return violations.length === 0 && entries.length === 0 && index === undefined;
}

/**
 * Looks at the part of a session that a model would be sent, with the rules of the history gate. Nothing throws. Issue
 * 6, item 3.
 */
export function examine(stored: StoredRows, fallback: { sessionId: string }): Examination {
  return examinationOf(stored, conversationOf(stored, fallback));
}

/** {@link examine} where the conversation is at hand. */
export function examinationOf(
  { unreadable, torn, hasOutdatedIndex = false }: StoredRows,
  { path, messages, entries }: Conversation,
): Examination {
  const end = messages.findLastIndex((message) => !isObject(message) || message.role !== "toolResult");
  const faults = validate(messages, { spelling: "openclaw" });
  const isOpen = ({ kind, messageIndex }: Violation): boolean => kind === "missing_tool_result" && messageIndex === end;
  const answered = new Set(
    messages.map((message) => (isObject(message) && message.role === "toolResult" ? message.toolCallId : undefined)),
  );
  // A result would be sent without its call.
  const isLeftOut = ({ kind, messageIndex, id }: Violation): boolean =>
    OF_FAILED_TURNS.has(kind) &&
    isFailedTurn(messages[messageIndex] as JsonObject) &&
    (kind === "empty_message" || !answered.has(id));
  const isLed = ({ kind, messageIndex }: Violation): boolean =>
    kind === "wrong_role_order" && messageIndex === 0 && isLedIn(path);
  return {
    messages: messages.length,
    violations: faults.filter((fault) => !isOpen(fault) && !isLeftOut(fault) && !isLed(fault)),
    openCalls: faults.filter(isOpen).length,
    leftOut: faults.filter(isLeftOut).length,
    entries,
    ...(hasOutdatedIndex && { index: "outdated_index" }),
    unreadable,
    torn,
  };
}

/**
 * Whether a note or a summary stands before the first message that a model is sent; a move of an agent to the beginning
 * leaves nothing else in front of its answer.
 */
function isLedIn(path: readonly JsonObject[]): boolean {
  const context = contextPath(path as readonly (JsonObject & { id: string; type: string })[], (entry) => entry);
  // OpenClaw puts the summary before what the compaction has kept.
  if (context.some(({ type }) => type === "compaction")) return true;
  return context
    .slice(
      0,
      context.findIndex(({ type }) => type === "message"),
    )
    .some(({ type }) => SHOWN_NOTES.has(type));
}

/** Faults of how entries hang together. */
const OF_THE_TREE: ReadonlySet<EntryViolation> = new Set(["unknown_parent", "child_before_parent"]);

/** The conversation in stored rows. Rows that fell off the tree hang on it, as the patched OpenClaw hangs them. */
export function conversationOf({ rows }: StoredRows, { sessionId }: { sessionId: string }): Conversation {
  if (rows.length === 0) return { rows, path: [], messages: [], entries: [] };
  const { entries: sound, violations } = repairEntries(rows, { sessionId, cwd: homedir() });
  const path = pathIn(sound);
  const messages = messagesIn(contextPath(path, ({ at }) => sound[at] as JsonObject)).map(
    (place) => (sound[place.at] as JsonObject).message,
  );
  // An append-only store keeps a row that fell off the tree: where the conversation does not come by it, it does no
  // harm.
  const isAside = violations.some((kind) => OF_THE_TREE.has(kind)) && isRooted(rows, path);
  const entries = isAside ? violations.filter((kind) => !OF_THE_TREE.has(kind)) : violations;
  return {
    rows: sound,
    path: path.map(({ at }) => sound[at] as JsonObject),
    messages: messages.filter(isObject),
    entries,
  };
}

function pathIn(rows: readonly unknown[]): Place[] {
  const tree = new TranscriptTree();
  for (const [at, row] of rows.entries()) tree.add(row, at, 0);
  return tree.path();
}

/** Whether the rows as they are lead along this path, from an entry that nothing is said to come before. */
function isRooted(rows: readonly unknown[], path: readonly Place[]): boolean {
  const found = pathIn(rows);
  const first = rows[found[0]?.at ?? -1];
  return (
    found.length === path.length &&
    found.every(({ id }, at) => id === path[at]?.id) &&
    isObject(first) &&
    (first.parentId ?? null) === null
  );
}
