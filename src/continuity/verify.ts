import { nameInline, quotedInline, valueInline } from "../base/quoted.ts";
import { ContinuityError, continuityError, type ContinuityErrorCode } from "./base/errors.ts";
import { stateChecksum } from "./ledger/checksum.ts";
import { beginning } from "./ledger/position.ts";
import { differenceFrom, differenceText, type Expected } from "./ledger/older-copy.ts";
import { assertEnd, replayTail } from "./ledger/replay.ts";
import { loadResult } from "./steps/results.ts";
import { readAttempt, beginsAttempt, readCompletion, difference } from "./steps/step-record.ts";
import { type Contradiction, ToldOutcomes } from "./steps/told-outcomes.ts";
import { readSnapshot } from "./ledger/snapshots.ts";
import type { CompletedStepRow, ContinuityStore, ObjectStorage, StepAttemptRow, WorkflowRow } from "./ledger/store.ts";

/** A difference that verification found; the message names the place. */
export interface Damage {
  readonly place: "event" | "snapshot" | "step" | "lease" | "database" | "copy";
  readonly message: string;
}

/** The outcome of verifying a workflow. */
export interface Verification {
  readonly project_id: string;
  readonly workflow_id: string;
  readonly events: number;
  readonly snapshots: number;
  readonly completed_steps: number;
  readonly state_checksum: string | null;
  /** The last event: a position to note elsewhere, as `<event_seq>:<checksum>`. Null before the first event. */
  readonly head: { readonly event_seq: number; readonly checksum: string } | null;
  readonly damages: readonly Damage[];
}

/**
 * Checks a workflow: each event from the first, each snapshot against the ledger's state at its position, each attempt
 * and each result against the ledger, the lease's token, and the database itself where it can (SQLite's
 * `integrity_check`; left out with `database: false`), and that the ledger contains the event that `expect` and the
 * store's anchor name, because an older copy is undamaged in itself. Changes nothing. Data that cannot be read is
 * reported, and the rest is checked nevertheless. Throws for what hides damage: `unavailable`, `no-object-storage`,
 * `busy`, `newer`; and `bad-input` for an `expect` that names no event.
 */
export async function verifyWorkflow(
  store: ContinuityStore,
  workflow: WorkflowRow,
  objects: ObjectStorage | undefined,
  { database = true, expect }: VerifyOptions = {},
): Promise<Verification> {
  const damages: Damage[] = [];
  if (expect) assertPosition(expect);
  const { project_id, workflow_id } = workflow;
  if (database)
    await collect("database", damages, async () => {
      for (const fault of await store.faults())
        damages.push({ place: "database", message: `expected an intact database; found ${quotedInline(fault, 300)}` });
    });
  // Others may write meanwhile: rows that are read first must be in the ledger that is read afterwards.
  const completed = await readRows(damages, () => store.completedSteps(workflow_id));
  const attempts = await readRows(damages, () => store.attempts(workflow_id));
  const [before] = await readRows(damages, async () => [await store.lease(workflow_id)]);
  await collect("copy", damages, async () => {
    const { anchor } = store;
    const entry = anchor?.read(workflow_id);
    if (anchor && entry) await reportOlderCopy(store, workflow_id, entry, `as ${anchor.place} says`, damages);
    if (expect) await reportOlderCopy(store, workflow_id, expect, "as it was noted", damages);
  });
  const checked = await checkLedger(store, workflow, damages);
  const snapshots = await readRows(damages, () => store.snapshots(workflow_id));
  const againCompleted = async ({ step_id }: CompletedStepRow): Promise<readonly (CompletedStepRow | undefined)[]> => [
    (await store.step(workflow_id, step_id, 1)).completion,
  ];
  const againBegun = ({ step_id }: StepAttemptRow): Promise<readonly StepAttemptRow[]> =>
    store.attempts(workflow_id, step_id);
  for (const snapshot of snapshots) {
    await collect("snapshot", damages, async () => {
      const { state, event_seq } = await readSnapshot(snapshot, store, objects);
      const expected = checked.checksums.get(event_seq);
      const found = stateChecksum(state);
      if (expected !== undefined && expected !== found)
        throw new Error(
          `snapshot ${snapshot.snapshot_id} has checksum ${found}; the ledger has ${expected} at event ${event_seq}`,
        );
    });
  }
  if (checked.whole) {
    compareRows("the completion", completed, checked.completions, damages);
    compareRows("the row of an attempt", attempts, checked.attempts, damages);
  }
  await reportMissing("the completed step", completed, checked.completions, againCompleted, damages);
  await reportMissing("the begun step", attempts, checked.attempts, againBegun, damages);
  for (const step of completed) await collect("step", damages, () => loadResult(step, store, objects));
  const [lease] = await readRows(damages, async () => [await store.lease(workflow_id)]);
  if (checked.whole && ((before?.fencing_token ?? 0) > checked.token || (lease?.fencing_token ?? 0) < checked.token)) {
    damages.push({
      place: "lease",
      message:
        `expected the lease row of workflow ${workflow.workflow_id} to have fencing token ${checked.token}; ` +
        `found ${lease?.fencing_token ?? "no row"}`,
    });
  }
  return {
    project_id,
    workflow_id,
    events: checked.events,
    snapshots: snapshots.length,
    completed_steps: completed.length,
    state_checksum: checked.state_checksum,
    head: checked.head,
    damages,
  };
}

/** Options of a verification. */
export interface VerifyOptions {
  /** `false` leaves the check of the database out, for the further projects of one store. */
  readonly database?: boolean;
  /**
   * An event that the ledger must contain: its position and checksum as `head` of an earlier verification gave them.
   */
  readonly expect?: Expected | undefined;
}

function assertPosition({ event_seq, checksum }: Expected): void {
  if (
    Number.isSafeInteger(event_seq) &&
    event_seq >= 1 &&
    typeof checksum === "string" &&
    /^[0-9a-f]{64}$/.test(checksum)
  )
    return;
  throw continuityError("bad-input", {
    expected: "the sequence of an event (1 or more) and its checksum (64 hexadecimal digits)",
    found: `${valueInline(event_seq)} and ${valueInline(checksum)}`,
    todo: "Pass what an earlier verification gave. Nothing was checked.",
  });
}

async function reportOlderCopy(
  store: ContinuityStore,
  workflow_id: string,
  expected: Expected,
  says: string,
  damages: Damage[],
): Promise<void> {
  const differs = await differenceFrom(store, workflow_id, expected);
  if (!differs) return;
  damages.push({
    place: "copy",
    message:
      `expected the ledger to contain event ${expected.event_seq} with checksum ${expected.checksum}, ${says}; found ` +
      differenceText(differs, expected),
  });
}

interface Ledger {
  readonly head: Verification["head"];
  readonly events: number;
  readonly checksums: ReadonlyMap<number, string>;
  readonly completions: ReadonlyMap<string, CompletedStepRow>;
  readonly attempts: ReadonlyMap<string, StepAttemptRow>;
  readonly token: number;
  readonly whole: boolean;
  readonly state_checksum: string | null;
}

async function checkLedger(store: ContinuityStore, workflow: WorkflowRow, damages: Damage[]): Promise<Ledger> {
  const checksums = new Map<number, string>();
  const completions = new Map<string, CompletedStepRow>();
  const attempts = new Map<string, StepAttemptRow>();
  const told = new ToldOutcomes();
  let token = 0;
  let events = 0;
  let head = null as Verification["head"];
  let state_checksum: string | null = null;
  const whole = await collect("event", damages, async () => {
    const end = await replayTail(store, beginning(workflow), {
      visit: (event, state) => {
        events += 1;
        head = { event_seq: event.event_seq, checksum: event.checksum };
        ({ state_checksum } = event);
        checksums.set(event.event_seq, state_checksum);
        token = state.lease.fencing_token;
        const contradiction = told.next(event);
        if (contradiction) damages.push({ place: "event", message: sentence(contradiction) });
        if (beginsAttempt(event)) attempts.set(attemptKey(readAttempt(event)), readAttempt(event));
        const completion = readCompletion(event);
        if (completion) completions.set(attemptKey(completion), completion);
      },
    });
    await assertEnd(store, end, workflow);
    damages.push(...told.closedIn(end.state).map((closed) => ({ place: "step" as const, message: sentence(closed) })));
  });
  return {
    events,
    head,
    checksums,
    completions,
    attempts,
    token,
    whole,
    state_checksum,
  };
}

function sentence({ expected, found }: Contradiction): string {
  return `expected ${expected}; found ${found}`;
}

/** Compares rows, which were read before the ledger, with what the ledger says. */
function compareRows<Row extends { readonly step_id: string; readonly attempt_id: number }>(
  what: string,
  rows: readonly Row[],
  expected: ReadonlyMap<string, Row>,
  damages: Damage[],
): void {
  for (const row of rows) {
    const event = expected.get(attemptKey(row));
    const differs = event ? difference(event, row) : "a row without an event";
    if (differs !== undefined)
      damages.push({
        place: "step",
        message:
          `expected ${what} of step ${nameInline(row.step_id)} (attempt ${row.attempt_id}) to be as in the ` +
          `ledger; found ${differs}`,
      });
  }
}

/** Reports what the ledger says and no row has, also when it is read again. */
async function reportMissing<Row extends { readonly step_id: string; readonly attempt_id: number }>(
  what: string,
  rows: readonly Row[],
  expected: ReadonlyMap<string, Row>,
  again: (row: Row) => Promise<readonly (Row | undefined)[]>,
  damages: Damage[],
): Promise<void> {
  const known = new Set(rows.map(attemptKey));
  for (const [key, row] of expected) {
    if (known.has(key) || (await again(row)).some((one) => one && attemptKey(one) === key)) continue;
    damages.push({
      place: "step",
      message: `expected a row for ${what} ${nameInline(row.step_id)} (attempt ${row.attempt_id}); found none`,
    });
  }
}

function attemptKey({ step_id, attempt_id }: { readonly step_id: string; readonly attempt_id: number }): string {
  return `${attempt_id}/${step_id}`;
}

/** Errors that hide the data instead of showing damage; they are thrown. */
const NOT_DAMAGE: ReadonlySet<ContinuityErrorCode> = new Set(["unavailable", "no-object-storage", "busy", "newer"]);

/** Returns rows; those of a table that cannot be read are reported and left out. */
async function readRows<Row>(damages: Damage[], read: () => Promise<Row[]>): Promise<Row[]> {
  let rows: Row[] = [];
  await collect("database", damages, async () => void (rows = await read()));
  return rows;
}

async function collect(place: Damage["place"], damages: Damage[], work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof ContinuityError && NOT_DAMAGE.has(error.code)) throw error;
    damages.push({ place, message: error instanceof Error ? error.message : String(error) });
    return false;
  }
}
