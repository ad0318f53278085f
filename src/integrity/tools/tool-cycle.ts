import { types } from "node:util";
import { isObject } from "../../transcript/json/json.ts";
import { isJson, plainCopy } from "../../transcript/json/plain.ts";
import { INTERRUPTED_CALL } from "../../transcript/json/text.ts";
import { callsIn, callsOfHistory, type Call } from "../messages/calls.ts";
import type { Core } from "../base/core.ts";
import { integrityError, reasonOf } from "../base/errors.ts";
import { JournalledCycle } from "./journalled-cycle.ts";
import { failureOf } from "../recovery/provider-error.ts";
import { putLateResult, recover } from "../repair/recover.ts";
import type { ToolCycleResult } from "../messages/results.ts";
import { carriedOutOnce } from "./running-calls.ts";
import type { Session } from "../base/session.ts";
import type { ToolCycleOptions, ToolExecutor, ToolOutput } from "./tool-executor.ts";
import { storableOutput } from "./tool-output.ts";
import type { CycleCall, ToolResultContent } from "../base/types.ts";
import { failedCallText } from "../recovery/words.ts";

/** A call and what became of it: what its tool gave back, why it did nothing, or that it has not come back. */
type Outcome = { output: ToolOutput } | { thrown: unknown } | { late: () => Promise<void> };

/** What a cycle is carried out with. */
interface Work {
  readonly core: Core;
  readonly session: Session;
  readonly executor: ToolExecutor;
  /** The inputs for the tools, which may change them: what is stored are others. */
  readonly inputs: readonly unknown[];
  readonly givenUp: Promise<typeof GIVEN_UP>;
}

const GIVEN_UP = Symbol("given up");

/**
 * Carries out the calls, each journalled before and after it, and stores them with their results in one step. See
 * SessionIntegrity.executeToolCycle.
 */
export async function executeToolCycle(
  core: Core,
  session: Session,
  given: CycleCall,
  executor: ToolExecutor,
  { signal }: ToolCycleOptions = {},
): Promise<ToolCycleResult> {
  assertExecutor(executor);
  // Whoever gave the call may go on using it.
  const cycle = plainCopy(given) as CycleCall;
  const calls = callsIn(cycle);
  const inputs = callsIn(isJson(given) ? given : (plainCopy(given) as CycleCall)).map(({ input }) => input);
  if (signal?.aborted)
    return {
      success: false,
      error: "The calls were given up before they were begun. No tool was run and nothing was stored.",
      rolledBack: true,
    };
  return carriedOutOnce(core.journal, session.id, calls, async () => {
    const { givenUp, settle } = givingUp(signal);
    try {
      return await carryOutAll({ core, session, executor, inputs, givenUp }, cycle, calls);
    } finally {
      settle();
    }
  });
}

function assertExecutor(executor: unknown): void {
  if (typeof (executor as Partial<ToolExecutor> | null | undefined)?.execute === "function") return;
  throw integrityError("bad-executor", {
    expected: "an object with a function execute(name, input)",
    found: executor === null ? "null" : typeof executor,
    todo: "Give what runs the tools. No tool was run and nothing was stored.",
  });
}

/** When the caller does not want to wait any longer; never without a signal. */
function givingUp(signal: AbortSignal | undefined): { givenUp: Promise<typeof GIVEN_UP>; settle: () => void } {
  const { promise, resolve } = Promise.withResolvers<typeof GIVEN_UP>();
  const giveUp = (): void => resolve(GIVEN_UP);
  signal?.addEventListener("abort", giveUp, { once: true });
  return { givenUp: promise, settle: () => signal?.removeEventListener("abort", giveUp) };
}

async function carryOutAll(work: Work, cycle: CycleCall, calls: readonly Call[]): Promise<ToolCycleResult> {
  const { core, session } = work;
  const warnings: string[] = [];
  await core.degrade("What a crash cut off", warnings, () => finishEarlier(core, session, calls));
  const { called, openEnd } = callsOfHistory(session.messages);
  assertWhole(calls, openEnd);
  const used = calls.find(({ id }) => called.has(id) && !openEnd.has(id));
  if (used)
    return {
      success: false,
      error: `Duplicate tool_use id: ${used.id}. No tool was run and nothing was stored.`,
      rolledBack: true,
    };
  // Without a journal the tools run all the same: a crash would then leave no trace of them.
  const transaction = core.config.enabled
    ? await core.degrade("The tool cycle", warnings, () => JournalledCycle.begin(core, session, cycle, calls))
    : undefined;
  const later: (() => Promise<void>)[] = [];
  try {
    const outcomes = await Promise.all(calls.map((call, at) => carryOut(work, call, at, transaction)));
    for (const outcome of outcomes) if ("late" in outcome) later.push(outcome.late);
    const [first] = outcomes;
    const isNothingDone = outcomes.every((outcome) => "thrown" in outcome);
    const result = isNothingDone
      ? await nothingDone((first as { thrown: unknown }).thrown, transaction)
      : await store(session, cycle, calls, outcomes, core, transaction);
    return warnings.length > 0 ? { ...result, warnings: [...warnings, ...(result.warnings ?? [])] } : result;
  } finally {
    transaction?.end();
    // Not before the words stand there that a late result takes the place of.
    for (const put of later) void put();
  }
}

/**
 * What a crash or a failed write has left of a call with one of these ids is put into the history, so that it does not
 * run twice.
 */
async function finishEarlier(core: Core, session: Session, calls: readonly Call[]): Promise<void> {
  if (!core.config.enabled) return;
  const ids = new Set(calls.map(({ id }) => id));
  const earlier = core.journal.cycles
    .open(session.id)
    .filter(({ id, callId }) => ids.has(callId) && !core.live.has(id));
  if (earlier.length === 0) return;
  if (earlier.every(({ state }) => state === "pending")) core.journal.cycles.rollBack(earlier.map(({ id }) => id));
  else await core.inTurn(session, () => recover(core, session));
}

/** Results of one message's calls are stored as one: the APIs want them together. */
function assertWhole(calls: readonly Call[], openEnd: ReadonlySet<unknown>): void {
  const given = new Set<unknown>(calls.map(({ id }) => id));
  const missing = [...openEnd].filter((id) => !given.has(id));
  if (missing.length === 0 || !calls.some(({ id }) => openEnd.has(id))) return;
  throw integrityError("bad-call", {
    expected: `all open calls of the last message: ${[...openEnd].join(", ")}`,
    found: [...given].join(", "),
    todo: "Give the message as a whole. No tool was run.",
  });
}

async function carryOut(
  work: Work,
  call: Call,
  at: number,
  transaction: JournalledCycle | undefined,
): Promise<Outcome> {
  let returned: Returned | typeof GIVEN_UP;
  try {
    // Where this cannot be written nothing may run: after a crash the call would be told as one that was not started.
    transaction?.start(at);
    const running = settled(work.executor.execute(call.name, work.inputs[at]));
    returned = await Promise.race([running, work.givenUp]);
    if (returned === GIVEN_UP) return { late: () => putLater(work, call, at, running, transaction) };
  } catch (thrown) {
    // The other calls of the message may have acted, and then this one is told beside them.
    if (transaction?.isOneOfMany)
      await transaction.record(at, { output: failedCallText(reasonOf(thrown)), isError: true });
    return { thrown };
  }
  const output = storableOutput(returned.value, work.session.format);
  await transaction?.record(at, output);
  return { output };
}

/** What a tool gave back, in an object of ours: looking at it may do anything. */
interface Returned {
  readonly value: unknown;
}

/**
 * Waits for what was given back. A tool that gave back what cannot even be looked at has run: that is no error of its
 * own.
 */
async function settled(returned: unknown): Promise<Returned> {
  let isPromised: boolean;
  try {
    isPromised = types.isPromise(returned) || (isObject(returned) && typeof returned.then === "function");
  } catch {
    return { value: returned };
  }
  return { value: isPromised ? await returned : returned };
}

/** What a tool gives back when nobody waits for it any more takes the place of the words that stand for it. */
async function putLater(
  { core, session }: Work,
  call: Call,
  at: number,
  running: Promise<Returned>,
  transaction: JournalledCycle | undefined,
): Promise<void> {
  let returned: Returned;
  try {
    returned = await running;
  } catch {
    // It did nothing, or so it says: that it may have run stays true.
    return;
  }
  const { output: content, isError } = storableOutput(returned.value, session.format);
  await transaction?.record(at, { output: content, isError });
  await core.attempt("The late result", () =>
    core.inTurn(session, () => putLateResult(core, session, { call, result: { content, isError } })),
  );
}

/**
 * No tool has done anything: the session is as before, and what was added meanwhile by the tool itself is taken back.
 */
async function nothingDone(thrown: unknown, transaction: JournalledCycle | undefined): Promise<ToolCycleResult> {
  const contentFilter = failureOf(thrown).kind === "content_filter";
  const { rolledBack, warnings } = (await transaction?.rollBack(contentFilter)) ?? { rolledBack: true, warnings: [] };
  return {
    success: false,
    error: reasonOf(thrown),
    rolledBack,
    ...(contentFilter && { contentFilter }),
    ...(warnings.length > 0 && { warnings }),
  };
}

async function store(
  session: Session,
  cycle: CycleCall,
  calls: readonly Call[],
  outcomes: readonly Outcome[],
  core: Core,
  transaction: JournalledCycle | undefined,
): Promise<ToolCycleResult> {
  const results = outcomes.map((outcome, at) => resultOf(calls[at]!, outcome));
  const failed = outcomes.find((outcome) => "thrown" in outcome);
  const waited = outcomes.some((outcome) => "late" in outcome);
  const given = { result: results[0]!, ...(results.length > 1 && { results }) };
  const before = callsOfHistory(session.messages).results;
  try {
    await core.inTurn(session, () => session.persistToolCycle(cycle, results));
  } catch (error) {
    if (!(await isStored(session, calls, before)))
      return { success: false, ...given, error: notStored(error, transaction), rolledBack: false };
  }
  const warnings = (await transaction?.commit()) ?? [];
  const error = failed
    ? reasonOf(failed.thrown)
    : waited
      ? "A tool did not come back in time; it may have run."
      : undefined;
  return {
    success: error === undefined,
    ...given,
    ...(error !== undefined && { error, rolledBack: false }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/**
 * A write that failed may have reached the store all the same. A result that an earlier call under the same id has is
 * none of this one.
 */
async function isStored(
  session: Session,
  calls: readonly Call[],
  before: ReadonlyMap<unknown, number>,
): Promise<boolean> {
  try {
    await session.reload();
  } catch {
    return false;
  }
  const after = callsOfHistory(session.messages).results;
  return calls.every(({ id }) => (after.get(id) ?? 0) > (before.get(id) ?? 0));
}

function notStored(error: unknown, transaction: JournalledCycle | undefined): string {
  const kept = transaction?.isRecorded
    ? "It is kept in the journal: repair() or recover() puts it into the history."
    : "It is kept nowhere but in this answer.";
  return `The tool has run, but its result could not be stored in the session: ${reasonOf(error)}. ${kept}`;
}

function resultOf({ id }: Call, outcome: Outcome): ToolResultContent {
  if ("thrown" in outcome)
    return { type: "tool_result", tool_use_id: id, content: failedCallText(reasonOf(outcome.thrown)), is_error: true };
  if ("late" in outcome) return { type: "tool_result", tool_use_id: id, content: INTERRUPTED_CALL, is_error: true };
  const { output, isError } = outcome.output;
  return { type: "tool_result", tool_use_id: id, content: output, ...(isError && { is_error: true }) };
}
