import { types } from "node:util";
import { isObject } from "../../transcript/json/json.ts";
import { isJson, plainCopy } from "../../transcript/json/plain.ts";
import { callsIn, callsOfHistory, type Call } from "../messages/calls.ts";
import { readGiven } from "../messages/given-form.ts";
import { storedForm, type StoredCycle } from "../messages/stored-form.ts";
import { hasNewAnswer, withOwnIds, type UniqueCycle } from "./call-ids.ts";
import type { Core } from "../base/core.ts";
import { assertWord, badInput, describeKind } from "../base/bad-input.ts";
import { integrityError, describeThrown } from "../base/errors.ts";
import { JournalledCycle } from "./journalled-cycle.ts";
import { classifyError } from "../recovery/provider-error.ts";
import { storeLateResult, recover } from "../repair/recover.ts";
import { storeCycle, type CallOutcome } from "./store-cycle.ts";
import type { ToolCycleResult } from "../messages/results.ts";
import { runOnce } from "./running-calls.ts";
import type { Session } from "../base/session.ts";
import type { ToolCycleOptions, ToolExecutor } from "./tool-executor.ts";
import { storableOutput } from "./tool-output.ts";
import type { CycleCall, GivenCall } from "../base/types.ts";
import { failedCallText } from "../recovery/result-texts.ts";

/** What the execution of a cycle needs. */
interface Work {
  readonly core: Core;
  readonly session: Session;
  readonly executor: ToolExecutor;
  /** The calls as the model made them, with inputs that the tools may change; copies in another form are stored. */
  readonly given: readonly Call[];
  /** Calls whose arguments cannot be read, by their place: why. Their tools are not run. */
  readonly unreadable: ReadonlyMap<number, string>;
  readonly cancelled: Promise<typeof CANCELLED>;
  readonly signal: AbortSignal;
  /** Whether calls whose tools throw are stored with their errors, also where no tool of the message did anything. */
  readonly recordsThrown: boolean;
}

const CANCELLED = Symbol("cancelled");

/**
 * Runs the tools of the calls, journals each call before and after, and stores calls and results in one step. See
 * SessionIntegrity.executeToolCycle.
 */
export async function executeToolCycle(
  core: Core,
  session: Session,
  given: GivenCall,
  executor: ToolExecutor,
  { signal, thrown = "roll_back" }: ToolCycleOptions = {},
): Promise<ToolCycleResult> {
  assertExecutor(executor);
  assertWord("what becomes of a call whose tool throws", thrown, ["roll_back", "record"]);
  assertSignal(signal);
  // The caller may change the call object later.
  const { cycle, unreadable } = readGiven(plainCopy(given) as GivenCall, session.format);
  const calls = callsIn(cycle);
  const toRun = callsIn(readGiven(isJson(given) ? given : (plainCopy(given) as GivenCall), session.format).cycle);
  if (signal?.aborted)
    return {
      success: false,
      error: "The calls were cancelled before they started. No tool was run and nothing was stored.",
      rolledBack: true,
    };
  return runOnce(core.journal, session.id, calls, async () => {
    const { cancelled, settle } = cancellation(signal);
    try {
      return await runAll(
        {
          core,
          session,
          executor,
          given: toRun,
          unreadable,
          cancelled,
          signal: signal ?? new AbortController().signal,
          recordsThrown: thrown === "record",
        },
        cycle,
        calls,
      );
    } finally {
      settle();
    }
  });
}

function assertExecutor(executor: unknown): void {
  if (typeof (executor as Partial<ToolExecutor> | null | undefined)?.execute === "function") return;
  throw integrityError("bad-executor", {
    expected: "an object with a function execute(name, input, { id, signal })",
    found: describeKind(executor),
    todo: "Pass the object that runs the tools. No tool was run and nothing was stored.",
  });
}

function assertSignal(signal: unknown): void {
  if (signal === undefined || signal instanceof AbortSignal) return;
  // A signal of another realm has the same methods.
  const { addEventListener, aborted } = (signal ?? {}) as Partial<AbortSignal>;
  if (typeof addEventListener === "function" && typeof aborted === "boolean") return;
  throw badInput(
    "an AbortSignal in `signal`",
    describeKind(signal),
    "Pass the signal of an AbortController. No tool was run.",
  );
}

/** Resolves when the caller stops waiting; never without a signal. */
function cancellation(signal: AbortSignal | undefined): { cancelled: Promise<typeof CANCELLED>; settle: () => void } {
  const { promise, resolve } = Promise.withResolvers<typeof CANCELLED>();
  const cancel = (): void => resolve(CANCELLED);
  signal?.addEventListener("abort", cancel, { once: true });
  return { cancelled: promise, settle: () => signal?.removeEventListener("abort", cancel) };
}

async function runAll(work: Work, asGiven: CycleCall, given: readonly Call[]): Promise<ToolCycleResult> {
  const { core, session } = work;
  const warnings: string[] = [];
  let unique = uniqueIn(session, asGiven, given);
  const isChanged = await core.degrade("Recovery after a crash", warnings, () =>
    finishEarlier(core, session, [...given, ...unique.calls]),
  );
  if (isChanged) unique = uniqueIn(session, asGiven, given);
  assertWhole(given, callsOfHistory(session.messages).openEnd);
  const { cycle, calls, repeated } = unique;
  if (repeated && !(await hasNewAnswer(core, session)))
    return {
      success: false,
      error:
        `Duplicate tool_use id: ${repeated.id}. The history has this call with its input and result. No tool was ` +
        "run and nothing was stored. If the model has made the call anew, make the request with guardCall, or pass " +
        "the call under an id that the session does not have.",
      rolledBack: true,
    };
  // Without a journal the tools run all the same: a crash would then leave no trace of them.
  const transaction = core.config.enabled
    ? await core.degrade("The tool cycle", warnings, () => JournalledCycle.begin(core, session, cycle, calls))
    : undefined;
  const later: (() => Promise<void>)[] = [];
  try {
    const outcomes = await Promise.all(calls.map((call, at) => runCall(work, call, at, transaction)));
    for (const outcome of outcomes) if ("late" in outcome) later.push(outcome.late);
    const [first] = outcomes;
    const isUndone = !work.recordsThrown && outcomes.every((outcome) => "thrown" in outcome);
    const result =
      isUndone && !(await transaction?.isToldElsewhere())
        ? await rollBackCycle((first as { thrown: unknown }).thrown, transaction)
        : await storeCycle({ core, session, cycle, calls, outcomes, transaction });
    return warnings.length > 0 ? { ...result, warnings: [...warnings, ...(result.warnings ?? [])] } : result;
  } finally {
    transaction?.end();
    // Only after the placeholder texts are stored that a late result replaces.
    for (const put of later) void put();
  }
}

/** Returns the cycle as it can be stored: in a form that the API accepts, under ids that no earlier call has. */
function uniqueIn({ format, messages }: Session, cycle: CycleCall, calls: readonly Call[]): UniqueCycle {
  const { openEnd } = callsOfHistory(messages);
  // The caller has stored the message itself: only its results are added, under the ids that it has.
  if (calls.some(({ id }) => openEnd.has(id))) return { cycle, calls };
  const stored: StoredCycle = storedForm(format, cycle);
  return withOwnIds(messages, stored);
}

/**
 * Completes earlier cycles with one of these ids, which a crash or a failed write left open, so that no call runs
 * twice. Returns whether there were any.
 */
async function finishEarlier(core: Core, session: Session, calls: readonly Call[]): Promise<boolean> {
  if (!core.config.enabled) return false;
  const ids = new Set(calls.map(({ id }) => id));
  const earlier = core.journal.cycles
    .open(session.id)
    .filter(({ id, callId }) => ids.has(callId) && !core.live.has(id));
  if (earlier.length === 0) return false;
  if (earlier.every(({ state }) => state === "pending")) core.journal.cycles.rollBack(earlier.map(({ id }) => id));
  else await core.inTurn(session, () => recover(core, session));
  return true;
}

/**
 * Throws when only some of the message's open calls were passed: the APIs require the results of one message together.
 */
function assertWhole(calls: readonly Call[], openEnd: ReadonlySet<unknown>): void {
  const given = new Set<unknown>(calls.map(({ id }) => id));
  const missing = [...openEnd].filter((id) => !given.has(id));
  if (missing.length === 0 || !calls.some(({ id }) => openEnd.has(id))) return;
  throw integrityError("bad-call", {
    expected: `all open calls of the last message: ${[...openEnd].join(", ")}`,
    found: [...given].join(", "),
    todo: "Pass the whole message. No tool was run.",
  });
}

async function runCall(
  work: Work,
  call: Call,
  at: number,
  transaction: JournalledCycle | undefined,
): Promise<CallOutcome> {
  let returned: Returned | typeof CANCELLED;
  try {
    // When this write fails the tool must not run: after a crash the call would be reported as not started.
    const unreadable = work.unreadable.get(at);
    if (unreadable !== undefined) throw new Error(unreadable);
    transaction?.start(at);
    const { name, input } = work.given[at]!;
    const running = settled(work.executor.execute(name, input, { id: call.id, signal: work.signal }));
    returned = await Promise.race([running, work.cancelled]);
    if (returned === CANCELLED) return { late: () => storeWhenReturned(work, call, at, running, transaction) };
  } catch (thrown) {
    // Other calls of the message may have acted; this one is then stored beside them as a failed call.
    if (transaction && (transaction.isOneOfMany || work.recordsThrown))
      await transaction.record(at, { output: failedCallText(describeThrown(thrown)), isError: true });
    return { thrown };
  }
  const output = storableOutput(returned.value, work.session.format);
  await transaction?.record(at, output);
  return { output };
}

/** The value that a tool returned, wrapped because reading a property of it may run code. */
interface Returned {
  readonly value: unknown;
}

/**
 * Waits for a returned promise. A tool whose returned value cannot even be read has run: that is not an error of the
 * tool.
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

/** Stores the result of a tool that returned after its caller stopped waiting, in place of the placeholder text. */
async function storeWhenReturned(
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
    // The tool reports that it did nothing; the stored text, that it may have run, stays true.
    return;
  }
  const { output: content, isError } = storableOutput(returned.value, session.format);
  await transaction?.record(at, { output: content, isError });
  await core.attempt("The late result", () =>
    core.inTurn(session, () => storeLateResult(core, session, { call, result: { content, isError } })),
  );
}

/**
 * Ends a cycle in which no tool did anything: the session is as before, and messages that a tool appended itself
 * meanwhile are removed.
 */
async function rollBackCycle(thrown: unknown, transaction: JournalledCycle | undefined): Promise<ToolCycleResult> {
  const contentFilter = classifyError(thrown).kind === "content_filter";
  const { rolledBack, warnings } = (await transaction?.rollBack(contentFilter)) ?? { rolledBack: true, warnings: [] };
  return {
    success: false,
    error: describeThrown(thrown),
    rolledBack,
    ...(contentFilter && { contentFilter }),
    ...(warnings.length > 0 && { warnings }),
  };
}
