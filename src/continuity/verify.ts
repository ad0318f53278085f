import { nameInline, valueInline } from "../base/quoted.ts";
import type { LedgerEvent } from "./ledger/events.ts";
import { ContinuityError, type ContinuityErrorCode } from "./base/errors.ts";
import { canonicalText } from "./base/json.ts";
import { stateChecksum } from "./ledger/checksum.ts";
import { beginning } from "./ledger/position.ts";
import { assertEnd, replayTail } from "./ledger/replay.ts";
import { loadResult } from "./steps/results.ts";
import { readSnapshot } from "./ledger/snapshots.ts";
import type { ContinuityStore, ObjectStorage, WorkflowRow } from "./ledger/store.ts";

/** A difference that verification found; the message names the place. */
export interface Damage {
  readonly place: "event" | "snapshot" | "step" | "lease";
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
  readonly damages: readonly Damage[];
}

/**
 * Checks a workflow: each event from the first, each snapshot against the ledger's state at its position, each result
 * against the ledger, and the lease's token. Changes nothing. Data that cannot be read is reported, and the rest is
 * checked nevertheless. Throws only for what hides damage: `unavailable`, `no-object-storage`, `busy`, `newer`.
 */
export async function verifyWorkflow(
  store: ContinuityStore,
  workflow: WorkflowRow,
  objects: ObjectStorage | undefined,
): Promise<Verification> {
  const damages: Damage[] = [];
  // Others may write meanwhile: rows that are read first must be in the ledger that is read afterwards.
  const completed = await store.completedSteps(workflow.workflow_id);
  const before = await store.lease(workflow.workflow_id);
  const checked = await checkLedger(store, workflow, damages);
  const snapshots = await store.snapshots(workflow.workflow_id);
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
  await checkSteps(completed, checked.completions, checked.whole, damages, (step) => loadResult(step, store, objects));
  await checkMissing(completed, checked.completions, store, damages);
  const lease = await store.lease(workflow.workflow_id);
  if (checked.whole && ((before?.fencing_token ?? 0) > checked.token || (lease?.fencing_token ?? 0) < checked.token)) {
    damages.push({
      place: "lease",
      message: `expected the lease row of workflow ${workflow.workflow_id} to have fencing token ${checked.token}; found ${lease?.fencing_token ?? "no row"}`,
    });
  }
  const { project_id, workflow_id } = workflow;
  return {
    project_id,
    workflow_id,
    events: checked.events,
    snapshots: snapshots.length,
    completed_steps: completed.length,
    state_checksum: checked.state_checksum,
    damages,
  };
}

interface Ledger {
  readonly events: number;
  readonly checksums: ReadonlyMap<number, string>;
  readonly completions: ReadonlyMap<string, LedgerEvent>;
  readonly token: number;
  readonly whole: boolean;
  readonly state_checksum: string | null;
}

async function checkLedger(store: ContinuityStore, workflow: WorkflowRow, damages: Damage[]): Promise<Ledger> {
  const checksums = new Map<number, string>();
  const completions = new Map<string, LedgerEvent>();
  let token = 0;
  const whole = await collect("event", damages, async () => {
    const end = await replayTail(store, beginning(workflow), (event, state) => {
      checksums.set(event.event_seq, event.state_checksum);
      token = state.lease.fencing_token;
      if (event.event_type === "step_completed") completions.set(String(event.data["step_id"]), event);
    });
    await assertEnd(store, end, workflow);
  });
  return {
    events: checksums.size,
    checksums,
    completions,
    token,
    whole,
    state_checksum: checksums.get(checksums.size) ?? null,
  };
}

type Completed = Awaited<ReturnType<ContinuityStore["completedSteps"]>>[number];

async function checkSteps(
  rows: readonly Completed[],
  events: ReadonlyMap<string, LedgerEvent>,
  whole: boolean,
  damages: Damage[],
  load: (step: Completed) => Promise<unknown>,
): Promise<void> {
  for (const step of rows) {
    const event = events.get(step.step_id);
    const agrees =
      event?.data["attempt_id"] === step.attempt_id &&
      event.data["result_checksum"] === step.result_checksum &&
      event.data["result_ref"] === step.result_snapshot_ref &&
      event.timestamp === step.completed_at &&
      step.author === (event.author ? canonicalText(event.author) : null);
    if (whole && !agrees)
      damages.push({
        place: "step",
        message:
          `expected the completion of step ${nameInline(step.step_id)} to be as in the ledger; found attempt ` +
          `${step.attempt_id}, result ${step.result_checksum} at ${step.completed_at}, by ${valueInline(step.author)}`,
      });
    await collect("step", damages, () => load(step));
  }
}

async function checkMissing(
  rows: readonly Completed[],
  events: ReadonlyMap<string, LedgerEvent>,
  store: ContinuityStore,
  damages: Damage[],
): Promise<void> {
  const known = new Set(rows.map(({ step_id }) => step_id));
  for (const [step_id, { workflow_id }] of events) {
    if (known.has(step_id) || (await store.completedStep(workflow_id, step_id))) continue;
    damages.push({
      place: "step",
      message: `expected a row for the completed step ${nameInline(step_id)}; found none`,
    });
  }
}

/** Errors that hide the data instead of showing damage; they are thrown. */
const NOT_DAMAGE: ReadonlySet<ContinuityErrorCode> = new Set(["unavailable", "no-object-storage", "busy", "newer"]);

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
