/**
 * Repairs a stored history: analyse.ts finds the violations, rebuild.ts writes the messages, this file says what was
 * done.
 */
import { analyse, type Analysis } from "./analyse.ts";
import { looksHealthy } from "./look.ts";
import { assertList, assertSpelling, nameFound, type Spelling } from "./options.ts";
import { isDoubtful, type CallRef, type ResultRef } from "./pairing.ts";
import { readResult } from "./read.ts";
import { rebuild } from "./rebuild.ts";
import { isBlank } from "./json/json.ts";
import { asJson } from "./json/plain.ts";
import { plainText } from "./json/text.ts";
import { noJson, type Violation, type ViolationKind } from "./violations.ts";

/**
 * `remove_orphans`: results without a call are removed (invents the least; the default). `reconstruct`: such a result
 * gets a placeholder call when it has content. `truncate`: the history ends at its last valid point.
 */
export type RepairStrategy = "remove_orphans" | "reconstruct" | "truncate";

/** How a violation was repaired. */
export type RepairAction =
  | "remove_orphan"
  | "reconstruct_call"
  | "add_result"
  | "merge_result"
  | "move_result"
  | "rekey"
  | "remove_copy"
  | "replace_with_text"
  | "remove_skipped_call"
  | "remove_empty_message"
  | "convert_block"
  | "truncate";

/** A violation and how it was repaired; indices are those of the given history. */
export interface Repair extends Violation {
  action: RepairAction;
}

/** The outcome of {@link repair}. */
export interface RepairResult {
  /** The given list itself when there was no violation. */
  messages: readonly unknown[];
  repaired: boolean;
  repairs: Repair[];
}

/** How a history is repaired. */
export interface RepairOptions {
  strategy?: RepairStrategy;
  /**
   * `openclaw` also turns every call and result into OpenClaw's own spelling; the default is to keep the stored one.
   */
  spelling?: Spelling;
}

/** Text of the user message before a history that begins with the assistant, which several APIs refuse. */
export const OPENING_TEXT = "[Start of the available conversation.]";

/**
 * How violations of each kind are repaired, exceptions apart; src/lists reports the same for histories in other forms.
 */
export const ACTIONS: Readonly<Record<ViolationKind, RepairAction>> = {
  orphaned_tool_result: "remove_orphan",
  missing_tool_result: "add_result",
  duplicate_tool_result: "merge_result",
  duplicate_tool_call_id: "rekey",
  displaced_tool_result: "move_result",
  invalid_id: "rekey",
  empty_id: "rekey",
  incomplete_tool_call: "replace_with_text",
  skipped_tool_call: "remove_skipped_call",
  empty_message: "remove_empty_message",
  foreign_block: "convert_block",
  too_deep: "convert_block",
};

/**
 * Repairs a history in the stored form: idempotent, and a valid history is the same list. The public `repair` of
 * src/lists/public.ts also takes other forms. Throws a TypeError for a wrong argument, and for nothing in the messages.
 */
export function repair(messages: readonly unknown[], options: RepairOptions = {}): RepairResult {
  const { strategy = "remove_orphans", spelling = "keep" } = options;
  assertList("repair", messages);
  assertStrategy(strategy);
  assertSpelling("repair", spelling);
  if (looksHealthy(messages, spelling)) return { messages, repaired: false, repairs: [] };
  return repairAnalysed(messages, strategy, spelling);
}

/** Repairs a history that the quick look has not found valid. */
export function repairAnalysed(
  messages: readonly unknown[],
  strategy: RepairStrategy,
  spelling: Spelling,
): RepairResult {
  try {
    return repairAny(messages, strategy, spelling);
  } catch (error) {
    // Some message is no JSON, and reading it throws. A JSON copy of it is repaired instead.
    const { items, copied } = asJson(messages, error);
    const { messages: repaired, repairs } = repairAny(items, strategy, spelling);
    return {
      messages: repaired,
      repaired: true,
      repairs: [
        ...copied.map((messageIndex): Repair => ({ ...noJson(messageIndex), action: "convert_block" })),
        ...repairs,
      ],
    };
  }
}

/** Throws a TypeError, which names the strategies, for a value that is none. */
export function assertStrategy(strategy: unknown): asserts strategy is RepairStrategy | undefined {
  if (strategy === undefined || strategy === "remove_orphans" || strategy === "reconstruct" || strategy === "truncate")
    return;
  throw new TypeError(`Unknown repair strategy ${nameFound(strategy)}: use remove_orphans, reconstruct or truncate.`);
}

function repairAny(messages: readonly unknown[], strategy: RepairStrategy, spelling: Spelling): RepairResult {
  if (strategy === "truncate") return truncate(messages, spelling);
  const analysis = analyse(messages, spelling);
  // A change of spelling alone is no violation, but the messages are other objects.
  const respelled = spelling === "openclaw" && analysis.messages.some((message, at) => message !== messages[at]);
  if (analysis.violations.length === 0 && !respelled) return { messages, repaired: false, repairs: [] };
  const reconstructed = strategy === "reconstruct" ? orphansWithContent(analysis) : new Set<ResultRef>();
  const exceptionTo = exceptionsIn(analysis, reconstructed);
  return {
    messages: rebuild(analysis, reconstructed),
    repaired: true,
    repairs: analysis.violations.map((violation) => ({
      ...violation,
      action: exceptionTo(violation) ?? ACTIONS[violation.kind],
    })),
  };
}

/**
 * Repairs a history behind OpenClaw's `limitHistoryTurns`. A valid history is returned as the same object. Same
 * guarantees as {@link repair} with its default strategy.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { validateToolResultPairing } from "openclaw-integrity/transcript";
 *
 * const hello = { role: "user", content: "Hello" };
 * const orphan = { role: "toolResult", toolCallId: "call_gone", toolName: "exec", content: [], isError: false };
 * assert.deepEqual(validateToolResultPairing<object>([hello, orphan]), [hello]);
 * ```
 */
export function validateToolResultPairing<T>(messages: T[]): T[] {
  assertList("validateToolResultPairing", messages);
  return repair(messages).messages as T[];
}

/** Cuts a history to its longest valid beginning. */
function truncate(history: readonly unknown[], spelling: Spelling): RepairResult {
  const { violations } = analyse(history, spelling);
  if (violations.length === 0) return { messages: history, repaired: false, repairs: [] };
  let end = history.length;
  // Each cut can leave a call open or a result alone before it, hence the loop.
  for (let found = violations; found.length > 0; found = analyse(history.slice(0, end), spelling).violations)
    end = found[0]!.messageIndex;
  return {
    messages: history.slice(0, end),
    repaired: true,
    repairs: violations.map((violation) => ({ ...violation, action: "truncate" })),
  };
}

/** Returns the orphans that `reconstruct` keeps: real ones with content. */
function orphansWithContent({ pairing }: Analysis): Set<ResultRef> {
  return new Set(
    pairing.orphans.filter(
      ({ origin, source }) => origin === "real" && !isBlank(plainText(readResult(source).content)),
    ),
  );
}

/**
 * Returns a look-up of the actions that differ from the usual one of their kind: an orphan that gets a call (of several
 * from one place, the first one counts), a call with a doubtful result that becomes text, and one that is stored twice.
 */
function exceptionsIn(
  { origins, pairing }: Analysis,
  reconstructed: ReadonlySet<ResultRef>,
): (violation: Violation) => RepairAction | undefined {
  const place = ({ message, block }: CallRef | ResultRef): string => `${origins[message]}:${block}`;
  const orphans = new Map<string, ResultRef>();
  for (const orphan of reconstructed.size > 0 ? pairing.orphans.toReversed() : []) orphans.set(place(orphan), orphan);
  const doubtful = new Set(pairing.calls.filter(isDoubtful).map(place));
  const copies = new Set(
    [...pairing.copies].flatMap(([message, blocks]) => [...blocks].map((block) => `${origins[message]}:${block}`)),
  );
  return ({ kind, messageIndex, blockIndex }) => {
    const at = `${messageIndex}:${blockIndex}`;
    if (kind === "skipped_tool_call" && doubtful.has(at)) return "replace_with_text";
    if (kind === "duplicate_tool_call_id" && copies.has(at)) return "remove_copy";
    const orphan = kind === "orphaned_tool_result" ? orphans.get(at) : undefined;
    return orphan !== undefined && reconstructed.has(orphan) ? "reconstruct_call" : undefined;
  };
}
