import { INTERRUPTED_CALL, plainText } from "../../transcript/json/text.ts";
import { readResult } from "../../transcript/read.ts";
import { callsOfHistory, resultsIn, type Call } from "../messages/calls.ts";
import type { Core } from "../base/core.ts";
import { describeThrown } from "../base/errors.ts";
import type { JournalledCycle } from "./journalled-cycle.ts";
import { classifyError } from "../recovery/provider-error.ts";
import { failedCallText } from "../recovery/result-texts.ts";
import { putResults } from "../repair/recover.ts";
import type { ToolCycleResult } from "../messages/results.ts";
import type { Session } from "../base/session.ts";
import type { ToolOutput } from "./tool-executor.ts";
import type { CycleCall, ToolResultContent } from "../base/types.ts";

/** The outcome of a call: the tool's output, the error of a tool that did nothing, or that it has not returned. */
export type CallOutcome = { output: ToolOutput } | { thrown: unknown } | { late: () => Promise<void> };

/** A cycle whose tools have returned or were given up. */
interface EndedCycle {
  readonly core: Core;
  readonly session: Session;
  readonly cycle: CycleCall;
  readonly calls: readonly Call[];
  readonly outcomes: readonly CallOutcome[];
  readonly transaction: JournalledCycle | undefined;
}

/**
 * Stores the calls and their results in one step. When another process has recovered the cycle meanwhile, the results
 * take the place of what it has stored.
 */
export async function storeCycle(ended: EndedCycle): Promise<ToolCycleResult> {
  const { core, session, cycle, calls, outcomes, transaction } = ended;
  const results = outcomes.map((outcome, at) => toResult(calls[at]!, outcome));
  const failed = outcomes.find((outcome) => "thrown" in outcome);
  const waited = outcomes.some((outcome) => "late" in outcome);
  const given = { result: results[0]!, ...(results.length > 1 && { results }) };
  const before = countResults(session.messages, results);
  const isTakenOver = transaction?.isTakenOver === true;
  try {
    await core.inTurn(session, () =>
      isTakenOver ? storeTakenOver(ended, results) : session.persistToolCycle(cycle, results),
    );
  } catch (error) {
    if (!(await isStored(session, results, before)))
      return { success: false, ...given, error: notStored(error, transaction), rolledBack: false };
  }
  const warnings = [...((await transaction?.commit()) ?? []), ...(isTakenOver ? [TAKEN_OVER] : [])];
  const contentFilter = failed !== undefined && classifyError(failed.thrown).kind === "content_filter";
  const error = failed
    ? describeThrown(failed.thrown)
    : waited
      ? "A tool did not return in time; it may have run."
      : undefined;
  return {
    success: error === undefined,
    ...given,
    ...(error !== undefined && { error, rolledBack: false }),
    ...(contentFilter && { contentFilter }),
    ...(warnings.length > 0 && { warnings }),
  };
}

const TAKEN_OVER =
  "Another process has recovered this call while its tool ran, as one whose outcome is unknown; the result has " +
  "now taken the place of that text. Use a session in one process at a time.";

/** Stores results of calls that another process has recovered. Rejects when one of them finds no place. */
async function storeTakenOver(
  { session, cycle, calls, outcomes }: EndedCycle,
  results: readonly ToolResultContent[],
): Promise<void> {
  await session.reload();
  const { called } = callsOfHistory(session.messages);
  if (!calls.some(({ id }) => called.has(id))) return session.persistToolCycle(cycle, results);
  const known = results.flatMap(({ content, is_error: isError = false }, at) =>
    "late" in outcomes[at]! ? [] : [{ call: calls[at]!, result: { content, isError } }],
  );
  await putResults(session, known);
  const stored = countResults(session.messages, results);
  const lost = known.find(({ call }) => (stored.get(call.id) ?? 0) === 0);
  if (lost)
    throw new Error(`another process has stored something else for the call ${lost.call.id} while its tool ran`);
}

/** Returns for each result how many results with its id and its words the history has. */
function countResults(messages: readonly unknown[], results: readonly ToolResultContent[]): Map<unknown, number> {
  const words = new Map<unknown, string>(results.map(({ tool_use_id: id, content }) => [id, plainText(content)]));
  const counts = new Map<unknown, number>();
  for (const message of messages)
    for (const result of resultsIn(message)) {
      const { id, content } = readResult(result);
      if (words.has(id) && words.get(id) === plainText(content)) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  return counts;
}

/**
 * Returns whether a write that failed has reached the store nevertheless. Results of an earlier call with the same id
 * do not count, and a text that the outcome is unknown is not the result.
 */
async function isStored(
  session: Session,
  results: readonly ToolResultContent[],
  before: ReadonlyMap<unknown, number>,
): Promise<boolean> {
  try {
    await session.reload();
  } catch {
    return false;
  }
  const after = countResults(session.messages, results);
  return results.every(({ tool_use_id: id }) => (after.get(id) ?? 0) > (before.get(id) ?? 0));
}

function notStored(error: unknown, transaction: JournalledCycle | undefined): string {
  const kept = transaction?.isRecorded
    ? "It is kept in the journal: repair() or recover() puts it into the history."
    : "It exists only in this return value.";
  return `The tool has run, but its result could not be stored in the session: ${describeThrown(error)}. ${kept}`;
}

function toResult({ id }: Call, outcome: CallOutcome): ToolResultContent {
  if ("thrown" in outcome)
    return {
      type: "tool_result",
      tool_use_id: id,
      content: failedCallText(describeThrown(outcome.thrown)),
      is_error: true,
    };
  if ("late" in outcome) return { type: "tool_result", tool_use_id: id, content: INTERRUPTED_CALL, is_error: true };
  const { output, isError } = outcome.output;
  return { type: "tool_result", tool_use_id: id, content: output, ...(isError && { is_error: true }) };
}
