/** What the ledger says of a step: read from its rows, and each row compared with the event that it belongs to. */
import { ownCommand } from "../../base/commands/own-command.ts";
import { nameInline, valueInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import type { OpenStep, StepType, WorkState } from "../base/state.ts";
import { listAttempts, isOnce, isOver } from "../decide/open-attempts.ts";
import type { Outcome } from "../decide/resolving.ts";
import { type LedgerEvent, readLoneEvent } from "../ledger/events.ts";
import type { CompletedStepRow, ContinuityStore, EventRow, StepAttemptRow, StepRows } from "../ledger/store.ts";

/**
 * What the ledger says about a step: its latest attempt, how that ended, and which attempts nobody knows the outcome
 * of.
 */
export interface StepRecord extends Attempted {
  /** Attempts whose outcome is unknown, the first one first: one of them may have acted. */
  readonly open: readonly OpenStep[];
  /**
   * `open`: the latest attempt is being executed, or its executor is gone. `unknown`: an attempt may have acted, of a
   * step that must not happen twice. `ended`: every attempt failed without effect, or did not happen.
   */
  readonly status: "open" | "unknown" | "completed" | "abandoned" | "ended";
}

/** What the events of a step say. */
interface Attempted {
  readonly attempt: StepAttemptRow & { readonly step_type: StepType };
  readonly started: LedgerEvent;
  /** The event that ended the latest attempt, or completed the step; undefined while the attempt is open. */
  readonly ended: LedgerEvent | undefined;
  /** The completion, by whichever attempt; undefined unless the step was completed. */
  readonly completion: CompletedStepRow | undefined;
}

/** The position and the state on which a command is decided. */
interface Known {
  readonly event_seq: number;
  readonly state: WorkState;
}

/** The most events of one attempt: it is started, fails, is given up, and its outcome is found out. */
const EVENTS_OF_AN_ATTEMPT = 4;
/** All events of a step: outcomes of earlier attempts were found out since the latest one began. */
const ALL_EVENTS = 1_000_000;

/**
 * Returns the record of a step; undefined for a step that was never begun, `stale` when its events go beyond the known
 * position. The events decide. The rows of attempts and completions and the open steps of the state are compared with
 * them; every difference throws `damaged`, because a step would else run again, or give another step's result. Throws
 * `newer` too.
 */
export async function readStep(
  store: ContinuityStore,
  workflow_id: string,
  step_id: string,
  { event_seq, state }: Known,
): Promise<StepRecord | undefined | "stale"> {
  const { attempt, completion, events } = await readStepRows(store, workflow_id, step_id);
  if (events.some((event) => event.event_seq > event_seq)) return "stale";
  const found = readAttempted(step_id, events);
  const refuse = (expected: string, has: string): never => {
    throw damagedStep(step_id, expected, has);
  };
  compare(step_id, "latest attempt", found?.attempt, attempt);
  compare(step_id, "completion", found?.completion, completion);
  const open = listAttempts(state, step_id);
  const latest = open.at(-1);
  const isOpen = found !== undefined && isUnknown(found);
  if (
    isOpen
      ? latest?.attempt_id !== found.attempt.attempt_id || latest.fencing_token !== found.attempt.fencing_token
      : found === undefined || found.completion
        ? open.length > 0
        : open.some(({ attempt_id }) => attempt_id >= found.attempt.attempt_id)
  )
    refuse(
      isOpen
        ? `attempt ${found.attempt.attempt_id} to be open, as its events say`
        : "no such open attempt, as its events say",
      latest ? `attempt ${latest.attempt_id} is open in the state` : "none is open in the state",
    );
  return found && { ...found, open, status: stepStatus(found, open) };
}

/**
 * Returns the record of the step that has this idempotency key, or else this name: the key is the identity of an effect
 * that must not happen twice, however the step is called, and of whatever type it was when the key was used first.
 * Steps of other types are known by their names among themselves. Else as {@link readStep}.
 */
export async function readEffect(
  store: ContinuityStore,
  workflow_id: string,
  {
    step_id,
    idempotency_key,
    step_type = "non_idempotent",
  }: { readonly step_id?: string; readonly idempotency_key: string | null; readonly step_type?: StepType },
  known: Known,
): Promise<StepRecord | undefined | "stale"> {
  const first =
    idempotency_key === null ? undefined : await store.stepOfKey(workflow_id, idempotency_key, isOnce({ step_type }));
  const name = first ?? step_id;
  return name === undefined ? undefined : readStep(store, workflow_id, name, known);
}

/** Returns what the events say of a step; undefined when it was never begun. Reads no row of it. */
export async function stepInLedger(
  store: ContinuityStore,
  workflow_id: string,
  step_id: string,
): Promise<Attempted | undefined> {
  return readAttempted(step_id, (await readStepRows(store, workflow_id, step_id)).events);
}

/** Returns the events of an attempt, each checked, in the order of the ledger; none when it was never begun. */
export async function eventsOfAttempt(
  store: ContinuityStore,
  workflow_id: string,
  { step_id, attempt_id }: { readonly step_id: string; readonly attempt_id: number },
): Promise<readonly LedgerEvent[]> {
  const { events } = await store.step(workflow_id, step_id, ALL_EVENTS);
  return checked(events, workflow_id, step_id).filter(({ data }) => data["attempt_id"] === attempt_id);
}

/** Returns the rows of a step, and its events from the begin of the latest attempt on. */
async function readStepRows(
  store: ContinuityStore,
  workflow_id: string,
  step_id: string,
): Promise<Omit<StepRows, "events"> & { readonly events: readonly LedgerEvent[] }> {
  for (let limit = EVENTS_OF_AN_ATTEMPT; ; limit = ALL_EVENTS) {
    const { events: found, ...rows } = await store.step(workflow_id, step_id, limit);
    const events = checked(found, workflow_id, step_id);
    if (events.length < limit || events.some(beginsAttempt)) return { ...rows, events };
  }
}

/** Returns the latest events of a step, in the order of the ledger, each checked. */
function checked(rows: readonly EventRow[], workflow_id: string, step_id: string): LedgerEvent[] {
  const events = rows.map((row) => readLoneEvent(row)).toReversed();
  for (const event of events)
    if (event.data["step_id"] !== step_id || event.workflow_id !== workflow_id)
      throw damagedStep(
        step_id,
        "only its own events under its name",
        `event ${event.event_seq} of step ${valueInline(event.data["step_id"])}`,
      );
  return events;
}

function readAttempted(step_id: string, events: readonly LedgerEvent[]): Attempted | undefined {
  const at = events.findLastIndex(beginsAttempt);
  const started = events[at];
  if (!started) {
    if (events.length === 0) return undefined;
    throw damagedStep(
      step_id,
      "the event that began it",
      `only event ${events[0]!.event_seq} (${events[0]!.event_type})`,
    );
  }
  const attempt = readAttempt(started);
  const after = readCompletion(started) ? events.slice(at) : events.slice(at + 1);
  const ends = after.filter(({ data }) => data["attempt_id"] === attempt.attempt_id);
  const strange =
    events.slice(0, -1).find((event) => readCompletion(event) !== undefined) ??
    after.find((event) => !isOfEarlier(event, attempt) && !ends.includes(event)) ??
    ends.find((end, index) => index > 0 && !mayFollow(end, ends[index - 1]!));
  if (strange)
    throw damagedStep(
      step_id,
      `attempt ${attempt.attempt_id} to be its latest, and to have ended at most once`,
      `event ${strange.event_seq} (${strange.event_type}) of attempt ${valueInline(strange.data["attempt_id"])}`,
    );
  const last = events.at(-1)!;
  const completion = readCompletion(last);
  return { attempt, started, ended: completion ? last : ends.at(-1), completion };
}

/** Returns whether an event tells what became of an attempt before the latest one, which it may at any time. */
function isOfEarlier({ event_type, data }: LedgerEvent, { attempt_id, step_type }: StepRecord["attempt"]): boolean {
  return isOnce({ step_type }) && event_type === "step_resolved" && (data["attempt_id"] as number) < attempt_id;
}

/** Returns whether an outcome may be recorded behind that event: a failure, or a step that was given up. */
function mayFollow(end: LedgerEvent, before: LedgerEvent): boolean {
  return (
    end.event_type === "step_resolved" &&
    (before.event_type === "step_failed" || before.data["outcome"] === ("abandoned" satisfies Outcome))
  );
}

/** Returns whether the outcome of the latest attempt is unknown. */
function isUnknown({ attempt, ended, completion }: Attempted): boolean {
  if (completion) return false;
  if (!ended || ended.data["outcome"] === ("abandoned" satisfies Outcome)) return true;
  return ended.data["may_have_acted"] === true && isOnce(attempt);
}

function stepStatus({ ended, completion }: Attempted, open: readonly OpenStep[]): StepRecord["status"] {
  const latest = open.at(-1);
  if (completion) return "completed";
  if (open.some(({ given_up }) => given_up !== undefined)) return "abandoned";
  if (!latest) return "ended";
  return !ended && !isOver(latest) ? "open" : "unknown";
}

/** Returns whether an attempt begins with an event: with its own, or with its completion when no begin was recorded. */
export function beginsAttempt({ event_type, data }: LedgerEvent): boolean {
  return event_type === "step_started" || (event_type === "step_completed" && data["step_type"] !== undefined);
}

/** Returns the row that belongs to an event that began an attempt. */
export function readAttempt({ workflow_id, timestamp, data }: LedgerEvent): StepRecord["attempt"] {
  return {
    workflow_id,
    step_id: data["step_id"] as string,
    attempt_id: data["attempt_id"] as number,
    started_at: timestamp,
    fencing_token: data["fencing_token"] as number,
    step_type: data["step_type"] as StepType,
    idempotency_key: data["idempotency_key"] as string | null,
    input_checksum: data["input_checksum"] as string,
  };
}

/** Returns the row that belongs to an event that completed a step; undefined for every other event. */
export function readCompletion({
  workflow_id,
  event_type,
  timestamp,
  data,
}: LedgerEvent): CompletedStepRow | undefined {
  const isResolved = event_type === "step_resolved" && data["outcome"] === ("completed" satisfies Outcome);
  if (event_type !== "step_completed" && !isResolved) return undefined;
  return {
    workflow_id,
    step_id: data["step_id"] as string,
    attempt_id: data["attempt_id"] as number,
    completed_at: timestamp,
    result_snapshot_ref: data["result_ref"] as string,
    result_checksum: data["result_checksum"] as string,
  };
}

/** Returns the first column in which a row differs from what the ledger says; undefined when they agree. */
export function difference<Row extends object>(expected: Row, found: Row): string | undefined {
  const names = Object.keys(expected) as (keyof Row & string)[];
  const name = names.find((column) => expected[column] !== found[column]);
  return name && `${name} ${valueInline(found[name])} instead of ${valueInline(expected[name])}`;
}

function compare<Row extends object>(
  step_id: string,
  what: string,
  expected: Row | undefined,
  found: Row | undefined,
): void {
  if (expected === undefined && found === undefined) return;
  const differs =
    expected && found ? difference(expected, found) : found ? "a row without an event" : "an event without its row";
  if (differs !== undefined) throw damagedStep(step_id, `the row of its ${what} to be as in the ledger`, differs);
}

/** Numbers of completed rows that were counted before their events were known; `true` once the numbers agree. */
const counts = new WeakMap<object, number | true>();

/**
 * Compares the number of completed steps in the rows with that of the state, once for each `handle` on a workflow.
 * Returns false when the state is older than the rows and must be read again. Throws `damaged` for a difference.
 */
export async function isCounted(
  handle: object,
  store: ContinuityStore,
  { workflow_id, completed_steps }: WorkState,
): Promise<boolean> {
  const before = counts.get(handle);
  if (before === true) return true;
  const rows = await store.completedCount(workflow_id);
  // Rows are counted after the state was read: there may be more of them, which the next state has, and never fewer.
  if (rows < completed_steps || (before ?? rows) > completed_steps) {
    if (before !== undefined || rows < completed_steps) {
      counts.delete(handle);
      throw continuityError("damaged", {
        expected: `${completed_steps} rows of completed steps in workflow ${workflow_id}, as in the ledger`,
        found: String(rows < completed_steps ? rows : before),
        todo: TODO(),
      });
    }
    counts.set(handle, rows);
    return false;
  }
  counts.set(handle, true);
  return true;
}

function damagedStep(step_id: string, expected: string, found: string): Error {
  return continuityError("damaged", {
    expected: `step ${nameInline(step_id)} to be as it was written: ${expected}`,
    found,
    todo: TODO(),
  });
}

function TODO(): string {
  return (
    `The store was changed from outside: \`${ownCommand("continuity verify")}\` names every place. ${fromBackup()} ` +
    "Nothing was executed."
  );
}
