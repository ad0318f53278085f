/** Faults and repairs in words for a person. */
import { groupBy } from "../base/group-by.ts";
import type { RecordFault } from "../store/sessions/record-fault.ts";
import type { EntryViolation } from "../transcript/entries.ts";
import type { Repair, RepairAction } from "../transcript/repair.ts";
import type { ViolationKind } from "../transcript/violations.ts";
import { isSound, type Examination, type IndexFault } from "./examine.ts";

/** Description of each violation, for a person. */
export const VIOLATION_WORDS: Readonly<Record<ViolationKind, string>> = {
  orphaned_tool_result: "a tool result without a call",
  missing_tool_result: "a tool call without a result",
  duplicate_tool_result: "another result of a call that already has one",
  duplicate_tool_call_id: "a tool call with the id of an earlier one",
  displaced_tool_result: "a tool result that does not follow its call",
  invalid_id: "an id that no provider accepts",
  empty_id: "a tool call or result without an id",
  incomplete_tool_call: "a tool call that was cut off while it was received",
  skipped_tool_call: "a tool call of a failed turn, with a result that would be sent without it",
  empty_message: "a message with nothing in it",
  foreign_block: "a part that OpenClaw does not know",
  too_deep: "a message that nests too deeply to be read or sent",
};

/** Description of each fault of the rows. */
export const ENTRY_WORDS: Readonly<Record<EntryViolation, string>> = {
  missing_header: "no header: OpenClaw treats the session as new",
  misplaced_header: "a header that is not the first row",
  old_header: "a header of an old format",
  foreign_row: "a row that is not a session entry",
  missing_entry_id: "an entry without an id",
  duplicate_entry_id: "two entries with the same id",
  unknown_parent: "an entry whose parent is missing: earlier messages are lost when the session is loaded",
  child_before_parent: "an entry stored before its parent",
  unreadable_message: "a message in a form that OpenClaw cannot read",
};

/** Description of each fault of OpenClaw's index. */
export const INDEX_WORDS: Readonly<Record<IndexFault, string>> = {
  outdated_index:
    "OpenClaw's index of the session is out of date: until it is rebuilt, turns fail with \"projection is " +
    'rebuilding" (2026.9.6 without a gateway: for good)',
};

/**
 * Description of each fault of what OpenClaw keeps beside the transcript: each message is refused, and none is lost.
 */
export const RECORD_WORDS: Readonly<Record<RecordFault, string>> = {
  ended_recovery:
    "OpenClaw could not resume the conversation after a restart and has given it up: it refuses every message " +
    '("ended during restart recovery"); nothing that was said is lost',
  unfinished_setup:
    "OpenClaw's record says that the session is still being set up, which nobody does any more: it refuses " +
    'every message ("still initializing"); nothing that was said is lost',
  missing_model:
    'a model was chosen for the conversation that does not exist any more: OpenClaw refuses every message ("The ' +
    'configured model is unavailable"), also after /new; a repair lets it go on with the default model, and so does ' +
    "/model default, unless the model is locked; nothing that was said is lost",
  stuck_lock:
    "a process that was killed has left its lock of the transcript behind, and its id belongs to another " +
    'process now: OpenClaw refuses every message for half an hour ("session file locked"); ' +
    "nothing that was said is lost",
};

/** What the repair of each of these faults did. */
const RECORD_REPAIRS: Readonly<Record<RecordFault, string>> = {
  ended_recovery: "OpenClaw's record of the failed resumption was cleared: it takes messages again",
  unfinished_setup: "OpenClaw's mark of an unfinished setup was cleared: it takes messages again",
  missing_model:
    "the choice of a model that does not exist any more was cleared: it takes messages again, with the default model",
  stuck_lock: "the lock that was left behind was removed: OpenClaw takes messages again",
};

/** What each action of a repair did, for one fault and for several. No message is lost: the original is kept. */
const REPAIR_WORDS: Readonly<Record<RepairAction, readonly [one: string, several: string]>> = {
  remove_orphan: ["tool result left the conversation", "tool results left the conversation"],
  reconstruct_call: ["tool result got a call", "tool results got a call"],
  add_result: ["tool call got a result", "tool calls got a result"],
  merge_result: [
    "tool result was joined with another of its call",
    "tool results were joined with others of their calls",
  ],
  move_result: ["tool result was moved behind its call", "tool results were moved behind their calls"],
  rekey: ["id was replaced", "ids were replaced"],
  remove_copy: ["tool call that was stored twice is there once", "tool calls that were stored twice are there once"],
  replace_with_text: ["tool call was replaced by its text", "tool calls were replaced by their text"],
  remove_skipped_call: ["call of a failed turn left the conversation", "calls of failed turns left the conversation"],
  remove_empty_message: ["empty message left the conversation", "empty messages left the conversation"],
  convert_block: ["part was turned into text", "parts were turned into text"],
  truncate: [
    "fault was cut off with the end of the conversation",
    "faults were cut off with the end of the conversation",
  ],
};

// What a repair changes besides is no fault of the session.
const OF_FAILED = "no fault: of failed turns, which OpenClaw does not send";

/**
 * Returns what a repair does to a session that was found so, the most frequent first: `14 tool results left the
 * conversation`. What it does to failed turns, whose faults are no faults of the session, is told as such.
 */
export function describeRepairs(before: Examination, repairs: readonly Repair[]): string[] {
  const faults = new Set(before.violations.map(({ kind, messageIndex }) => `${kind} ${messageIndex}`));
  const ofFaults = repairs.filter(({ kind, messageIndex }) => faults.has(`${kind} ${messageIndex}`));
  const others = repairs.filter(({ kind, messageIndex }) => !faults.has(`${kind} ${messageIndex}`));
  const { entries, index, record, unreadable, torn } = before;
  const skipped = unreadable + (torn > 0 ? 1 : 0);
  return [
    ...(record === undefined ? [] : [RECORD_REPAIRS[record]]),
    ...countedRepairs(ofFaults),
    ...(entries.length > 0 ? ["the faults of its rows were corrected"] : []),
    ...(index === undefined ? [] : ["OpenClaw's index of it was rebuilt"]),
    ...(skipped > 0
      ? [`${skipped} ${skipped === 1 ? "line that is" : "lines that are"} not JSON left the transcript`]
      : []),
    ...countedRepairs(others).map((what) => `${what} (${OF_FAILED})`),
  ];
}

function countedRepairs(repairs: readonly Repair[]): string[] {
  return [...groupBy(repairs, ({ action }) => action)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([action, { length }]) => `${length} ${REPAIR_WORDS[action][length === 1 ? 0 : 1]}`);
}

/** Returns the number of faults. */
export function countFaults({ violations, entries, index, record }: Examination): number {
  return violations.length + entries.length + (index === undefined ? 0 : 1) + (record === undefined ? 0 : 1);
}

/** Returns the state of a session in a few words: `valid`, `3 faults`. */
export function describeState(examination: Examination | undefined): string {
  if (examination === undefined) return "not scanned";
  const { openCalls } = examination;
  const faults = countFaults(examination);
  if (!isSound(examination)) return faults === 1 ? "1 fault" : `${faults} faults`;
  return openCalls > 0 ? `valid, ${openCalls} ${openCalls === 1 ? "call" : "calls"} open` : "valid";
}

/** Returns each kind of fault with its count, the most frequent first: `2 × a tool result without a call`. */
export function describeFaults({ violations, entries, index, record, unreadable, torn }: Examination): string[] {
  const counts = new Map<string, number>();
  const found = [
    ...(record === undefined ? [] : [RECORD_WORDS[record]]),
    ...violations.map(({ kind }) => VIOLATION_WORDS[kind]),
    ...entries.map((kind) => ENTRY_WORDS[kind]),
    ...(index === undefined ? [] : [INDEX_WORDS[index]]),
  ];
  for (const words of found) counts.set(words, (counts.get(words) ?? 0) + 1);
  return [
    ...[...counts]
      .toSorted(([, one], [, other]) => other - one)
      .map(([words, times]) => (times === 1 ? words : `${times} × ${words}`)),
    ...skippedWords({ unreadable, torn }),
  ];
}

/** Describes the lines of a transcript that OpenClaw skips when it loads the others. */
export function skippedWords({ unreadable, torn }: Pick<Examination, "unreadable" | "torn">): string[] {
  return [
    ...(unreadable > 0
      ? [`${unreadable} ${unreadable === 1 ? "line that is" : "lines that are"} not JSON, which OpenClaw skips`]
      : []),
    ...(torn > 0 ? [`a last line that was cut off after ${torn} bytes, which OpenClaw skips`] : []),
  ];
}

/** Returns the count of each kind of fault, by its code: `{ orphaned_tool_result: 2 }`. */
export function countFaultKinds({ violations, entries, index, record }: Examination): Record<string, number> {
  const counts: Record<string, number> = {};
  const beside = [index, record].filter((kind) => kind !== undefined);
  for (const kind of [...violations.map(({ kind: one }) => one), ...entries, ...beside])
    counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
