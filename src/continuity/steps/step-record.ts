import { ownCommand } from "../../base/commands/own-command.ts";
import { nameInline, valueInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { canonicalText } from "../base/json.ts";
import type { StepType, WorkState } from "../base/state.ts";
import { ownEntry } from "../decide/find.ts";
import type { Outcome } from "../decide/resolving.ts";
import { type LedgerEvent, readLoneEvent } from "../ledger/events.ts";
import type { CompletedStepRow, ContinuityStore, EventRow, StepAttemptRow } from "../ledger/store.ts";

/** What the ledger says about a step: its latest attempt, and how that ended. */
export interface StepRecord {
  readonly attempt: StepAttemptRow & { readonly step_type: StepType };
  readonly started: LedgerEvent;
  /** The event that ended the attempt; undefined while the attempt is open. */
  readonly ended: LedgerEvent | undefined;
  /** The completion; undefined unless the step was completed. */
  readonly completion: CompletedStepRow | undefined;
  /**
   * `open`: it is being executed, or its executor is gone. `unknown`: it failed after it may have acted, and must not
   * happen twice. `ended`: it failed without effect, or did not happen.
   */
  readonly status: "open" | "unknown" | "completed" | "abandoned" | "ended";
}

/** The position and the state on which a command is decided. */
interface Known {
  readonly event_seq: number;
  readonly state: WorkState;
}

/** At most this many events belong to one attempt: it is started, fails, is given up, and its outcome is found out. */
const EVENTS_OF_AN_ATTEMPT = 4;

/**
 * Returns the record of a step; undefined for a step that was never begun, `stale` when its events go beyond the known
 * position. The events decide. The rows of attempts and completions and the open steps of the state are compared with
 * them; every difference throws `damaged`, because a step would else run again, or give another step's result.
 */
export async function readStep(
  store: ContinuityStore,
  workflow_id: string,
  step_id: string,
  { event_seq, state }: Known,
): Promise<StepRecord | undefined | "stale"> {
  const { attempt, completion, ...rows } = await store.step(workflow_id, step_id, EVENTS_OF_AN_ATTEMPT);
  const events = checked(rows.events, workflow_id, step_id);
  if (events.some((event) => event.event_seq > event_seq)) return "stale";
  const record = recordOf(step_id, events);
  const refuse = (expected: string, found: string): never => {
    throw damagedStep(step_id, expected, found);
  };
  compare(step_id, "latest attempt", record?.attempt, attempt);
  compare(step_id, "completion", record?.completion, completion);
  const open = ownEntry(state.open_steps, step_id);
  const expected = record && (record.status === "open" || record.status === "unknown") ? record.attempt : undefined;
  if (open?.attempt_id !== expected?.attempt_id || open?.fencing_token !== expected?.fencing_token)
    refuse(
      expected ? `attempt ${expected.attempt_id} to be open, as its events say` : "no open attempt, as its events say",
      open ? `attempt ${open.attempt_id} is open in the state` : "none is open in the state",
    );
  return record;
}

/** Returns what the ledger records of a step; undefined when it was never begun. Reads no row of it. */
export async function stepInLedger(
  store: ContinuityStore,
  workflow_id: string,
  step_id: string,
): Promise<StepRecord | undefined> {
  const { events } = await store.step(workflow_id, step_id, EVENTS_OF_AN_ATTEMPT);
  return recordOf(step_id, checked(events, workflow_id, step_id));
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

function recordOf(step_id: string, events: readonly LedgerEvent[]): StepRecord | undefined {
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
  const attempt = attemptOf(started);
  const ends = completionOf(started) ? events.slice(at) : events.slice(at + 1);
  const strange =
    events.slice(0, at).find((event) => completionOf(event) !== undefined) ??
    ends.find(({ data }) => data["attempt_id"] !== attempt.attempt_id) ??
    ends.find((end, index) => index > 0 && !mayFollow(end, ends[index - 1]!));
  if (strange)
    throw damagedStep(
      step_id,
      `attempt ${attempt.attempt_id} to be its latest, and to have ended at most once`,
      `event ${strange.event_seq} (${strange.event_type}) of attempt ${valueInline(strange.data["attempt_id"])}`,
    );
  const ended = ends.at(-1);
  const completion = ended && completionOf(ended);
  return { attempt, started, ended, completion, status: statusOf(attempt.step_type, ended, completion !== undefined) };
}

/** Returns whether an outcome may be recorded behind that event: a failure, or a step that was given up. */
function mayFollow(end: LedgerEvent, before: LedgerEvent): boolean {
  return (
    end.event_type === "step_resolved" &&
    (before.event_type === "step_failed" || before.data["outcome"] === ("abandoned" satisfies Outcome))
  );
}

function statusOf(step_type: StepType, ended: LedgerEvent | undefined, isCompleted: boolean): StepRecord["status"] {
  if (!ended) return "open";
  if (isCompleted) return "completed";
  if (ended.data["outcome"] === ("abandoned" satisfies Outcome)) return "abandoned";
  return ended.data["may_have_acted"] === true && step_type === "non_idempotent" ? "unknown" : "ended";
}

/** Returns whether an attempt begins with an event: with its own, or with its completion when no begin was recorded. */
export function beginsAttempt({ event_type, data }: LedgerEvent): boolean {
  return event_type === "step_started" || (event_type === "step_completed" && data["step_type"] !== undefined);
}

/** Returns the row that belongs to an event that began an attempt. */
export function attemptOf({ workflow_id, timestamp, data }: LedgerEvent): StepRecord["attempt"] {
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
export function completionOf({
  workflow_id,
  event_type,
  timestamp,
  schema_version,
  author,
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
    // The event names the author; rows do so in ledgers of older versions only.
    author: author && Number(schema_version) < 4 ? canonicalText(author) : null,
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
