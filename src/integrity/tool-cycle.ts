import { callsIn, callsOfHistory, type Call } from "./calls.ts";
import type { Core } from "./core.ts";
import { integrityError, reasonOf } from "./errors.ts";
import { JournalledCycle } from "./journalled-cycle.ts";
import { failureOf } from "./provider-error.ts";
import type { ToolCycleResult } from "./results.ts";
import type { Session } from "./session.ts";
import type { ToolExecutor, ToolOutput } from "./tool-executor.ts";
import type { CycleCall, ToolResultContent } from "./types.ts";
import { failedCallText } from "./words.ts";

/** A call and what became of it: what its tool gave back, or why it did nothing. */
type Outcome = { output: ToolOutput } | { thrown: unknown };

/**
 * Carries out the calls, each journalled before and after it, and stores them with their results in one step. See
 * SessionIntegrity.executeToolCycle.
 */
export async function executeToolCycle(core: Core, session: Session, cycle: CycleCall, executor: ToolExecutor): Promise<ToolCycleResult> {
  const calls = callsIn(cycle);
  const { called, openEnd } = callsOfHistory(session.messages);
  assertWhole(calls, openEnd);
  const used = calls.find(({ id }) => called.has(id) && !openEnd.has(id));
  if (used) return { success: false, error: `Duplicate tool_use id: ${used.id}. No tool was run and nothing was stored.`, rolledBack: true };
  const transaction = core.config.enabled ? await JournalledCycle.begin(core, session, cycle, calls) : undefined;
  try {
    const outcomes = await Promise.all(calls.map((call, at) => carryOut(call, at, executor, transaction)));
    if (outcomes.every((outcome) => "thrown" in outcome)) return await nothingDone(outcomes[0]!.thrown, transaction);
    return await store(session, cycle, calls, outcomes, core, transaction);
  } finally {
    transaction?.end();
  }
}

/** Results of one message's calls are stored as one: the APIs want them together. */
function assertWhole(calls: readonly Call[], openEnd: ReadonlySet<unknown>): void {
  const given = new Set<unknown>(calls.map(({ id }) => id));
  const missing = [...openEnd].filter((id) => !given.has(id));
  if (missing.length === 0 || !calls.some(({ id }) => openEnd.has(id))) return;
  throw integrityError("bad-call", {
    expected: `all open calls of the last message: ${[...openEnd].join(", ")}`, found: [...given].join(", "), todo: "Give the message as a whole. No tool was run.",
  });
}

async function carryOut({ name, input }: Call, at: number, executor: ToolExecutor, transaction: JournalledCycle | undefined): Promise<Outcome> {
  let output: ToolOutput;
  try {
    // Where this cannot be written nothing may run: after a crash the call would be told as one that was not started.
    transaction?.start(at);
    output = await executor.execute(name, input);
  } catch (thrown) {
    // The other calls of the message may have acted, and then this one is told beside them.
    if (transaction?.isOneOfMany) await transaction.record(at, { output: failedCallText(reasonOf(thrown)), isError: true });
    return { thrown };
  }
  await transaction?.record(at, output);
  return { output };
}

/** No tool has done anything: the session is as before, and what was added meanwhile by the tool itself is taken back. */
async function nothingDone(thrown: unknown, transaction: JournalledCycle | undefined): Promise<ToolCycleResult> {
  const contentFilter = failureOf(thrown).kind === "content_filter";
  const { rolledBack, warnings } = (await transaction?.rollBack(contentFilter)) ?? { rolledBack: true, warnings: [] };
  return { success: false, error: reasonOf(thrown), rolledBack, ...(contentFilter && { contentFilter }), ...(warnings.length > 0 && { warnings }) };
}

async function store(
  session: Session, cycle: CycleCall, calls: readonly Call[], outcomes: readonly Outcome[], core: Core, transaction: JournalledCycle | undefined,
): Promise<ToolCycleResult> {
  const results = outcomes.map((outcome, at) => resultOf(calls[at]!, outcome));
  const failed = outcomes.find((outcome) => "thrown" in outcome);
  const given = { result: results[0]!, ...(results.length > 1 && { results }) };
  try {
    await core.inTurn(session, () => session.persistToolCycle(cycle, results));
  } catch (error) {
    if (!(await isStored(session, calls))) return { success: false, ...given, error: notStored(error, transaction), rolledBack: false };
  }
  const warnings = (await transaction?.commit()) ?? [];
  return {
    success: failed === undefined, ...given,
    ...(failed && { error: reasonOf(failed.thrown), rolledBack: false }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** A write that failed may have reached the store all the same. */
async function isStored(session: Session, calls: readonly Call[]): Promise<boolean> {
  try {
    await session.reload();
  } catch {
    return false;
  }
  const { answered } = callsOfHistory(session.messages);
  return calls.every(({ id }) => answered.has(id));
}

function notStored(error: unknown, transaction: JournalledCycle | undefined): string {
  const kept = transaction?.isRecorded
    ? "It is kept in the journal: repair() or recover() puts it into the history."
    : "It is kept nowhere but in this answer.";
  return `The tool has run, but its result could not be stored in the session: ${reasonOf(error)}. ${kept}`;
}

function resultOf({ id }: Call, outcome: Outcome): ToolResultContent {
  if ("thrown" in outcome) return { type: "tool_result", tool_use_id: id, content: failedCallText(reasonOf(outcome.thrown)), is_error: true };
  const { output, isError } = outcome.output;
  return { type: "tool_result", tool_use_id: id, content: output, ...(isError && { is_error: true }) };
}
