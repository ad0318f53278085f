import { homedir } from "node:os";
import { contextPath, messagesIn } from "../store/sessions/context-path.ts";
import { TranscriptTree, type Place } from "../store/sessions/transcript-tree.ts";
import type { SessionSummary, StoredRows } from "../store/catalog/summary.ts";
import type { RecordFault } from "../store/sessions/record-fault.ts";
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

/** Faults of the index that OpenClaw keeps beside the rows. */
export type IndexFault = "outdated_index";

/** The faults of a stored session. Contains no content of its messages. */
export interface Examination {
  /** Number of messages that a model would be sent. */
  messages: number;
  /** Violations in these messages. */
  violations: Violation[];
  /** Calls of the last message without a result yet: a turn is under way, or was when OpenClaw ended. */
  openCalls: number;
  /** Number of faults in failed turns, which OpenClaw does not send. They need no repair. */
  leftOut: number;
  /** Faults of the rows that hold the messages. */
  entries: EntryViolation[];
  /**
   * Set for a session in OpenClaw's database whose index is out of date: without a gateway, its turns fail until the
   * index is rebuilt (in 2026.9.6 for good).
   */
  index?: IndexFault;
  /** Set for a session that OpenClaw refuses every message for, patched or not. */
  record?: RecordFault;
  /** Number of lines that are not JSON. */
  unreadable: number;
  /** Length in bytes of a truncated last line. */
  torn: number;
}

/** The rows after `repairEntries`, and the messages of the active path that a model would be sent. */
export interface Conversation {
  rows: readonly unknown[];
  /** The rows of the active path. */
  path: readonly JsonObject[];
  messages: readonly unknown[];
  entries: EntryViolation[];
  /** Whether the rows are those of a file. */
  isFile: boolean;
}

/** What is known of a session beside its rows. */
interface Coordinates {
  readonly sessionId: string;
  readonly kind?: SessionSummary["kind"];
}

/** Returns whether a session needs no repair. Unreadable and truncated lines are not counted: OpenClaw skips them. */
export function isSound({ violations, entries, index, record }: Examination): boolean {
  return violations.length === 0 && entries.length === 0 && index === undefined && record === undefined;
}

/**
 * Examines the messages that a model would be sent, by the rules of the history gate, and the rows that hold them.
 * Never throws.
 */
export function examine(stored: StoredRows, session: Coordinates): Examination {
  return examineLoaded(stored, toConversation(stored, session));
}

/** Same as {@link examine}, for a conversation that has been read already. */
export function examineLoaded(
  { unreadable, torn, hasOutdatedIndex = false, refusal }: StoredRows,
  { messages, entries, isFile }: Pick<Conversation, "messages" | "entries" | "isFile">,
): Examination {
  const end = messages.findLastIndex((message) => !isObject(message) || message.role !== "toolResult");
  const faults = validate(messages, { spelling: "openclaw" });
  const isOpen = ({ kind, messageIndex }: Violation): boolean => kind === "missing_tool_result" && messageIndex === end;
  const answered = new Set(
    messages.map((message) => (isObject(message) && message.role === "toolResult" ? message.toolCallId : undefined)),
  );
  // A call that has a result is not left out: the result would be sent without its call.
  const isLeftOut = ({ kind, messageIndex, id }: Violation): boolean =>
    OF_FAILED_TURNS.has(kind) &&
    isFailedTurn(messages[messageIndex] as JsonObject) &&
    (kind === "empty_message" || !answered.has(id));
  return {
    messages: messages.length,
    violations: faults.filter((fault) => !isOpen(fault) && !isLeftOut(fault)),
    openCalls: faults.filter(isOpen).length,
    leftOut: faults.filter(isLeftOut).length,
    // OpenClaw to 2026.7, which keeps sessions in files, updates old ones itself.
    entries: isFile ? entries.filter((kind) => kind !== "old_header") : entries,
    ...(hasOutdatedIndex && { index: "outdated_index" }),
    ...(refusal && { record: refusal.fault }),
    unreadable,
    torn,
  };
}

/** Faults of the links between entries. */
const OF_THE_TREE: ReadonlySet<EntryViolation> = new Set(["unknown_parent", "child_before_parent"]);

/**
 * Returns the conversation in stored rows. Rows without a reachable parent are attached to the tree in the same way as
 * the patched OpenClaw attaches them.
 */
export function toConversation({ rows }: StoredRows, { sessionId, kind: keptIn }: Coordinates): Conversation {
  const isFile = keptIn === "file";
  if (rows.length === 0) return { rows, path: [], messages: [], entries: [], isFile };
  const { entries: sound, violations } = repairEntries(rows, { sessionId, cwd: homedir() });
  const path = pathIn(sound);
  const messages = messagesIn(contextPath(path, ({ at }) => sound[at] as JsonObject)).map(
    (place) => (sound[place.at] as JsonObject).message,
  );
  // An append-only store keeps a detached row for good. The row does no harm where the active path does not contain it.
  const isAside = violations.some((kind) => OF_THE_TREE.has(kind)) && isRooted(rows, path);
  const entries = isAside ? violations.filter((kind) => !OF_THE_TREE.has(kind)) : violations;
  return {
    rows: sound,
    path: path.map(({ at }) => sound[at] as JsonObject),
    messages: messages.filter(isObject),
    entries,
    isFile,
  };
}

function pathIn(rows: readonly unknown[]): Place[] {
  const tree = new TranscriptTree();
  for (const [at, row] of rows.entries()) tree.add(row, at, 0);
  return tree.path();
}

/** Returns whether the rows lead along this path without a repair, from an entry that has no parent. */
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
