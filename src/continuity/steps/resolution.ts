import { nameInline, valueInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { continuityError } from "../base/errors.ts";
import { assertStorable, canonicalText, type Json } from "../base/json.ts";
import { cannotResolve, type Outcome, OUTCOMES, resolveStep } from "../decide/resolving.ts";
import type { Environment } from "../ledger/environment.ts";
import type { Workflow } from "../ledger/workflow.ts";
import type { StepGuard } from "./lease.ts";
import { completionRow, type StoredResult, storeResult } from "./results.ts";
import { isCounted, readStep, type StepRecord } from "./step-record.ts";

/** What became of an attempt, by whoever found out. */
export interface Resolution {
  readonly step_id: string;
  readonly attempt_id: number;
  readonly outcome: Outcome;
  /** How that is known. 1 to 1,000 characters. */
  readonly reason: string;
  /** What came of it, with `completed`; null by default. */
  readonly result?: Json | undefined;
}

const LONGEST_REASON = 1000;

/** Ends a resolution without an event: it was recorded before. */
class Recorded extends Error {}

/**
 * Records what became of an attempt. The lease is any valid one, not that under which the attempt began. A resolution
 * that was recorded before returns `duplicate`.
 */
export async function resolveAttempt(
  environment: Environment,
  workflow: Workflow,
  author: Author,
  lease: StepGuard,
  resolution: Resolution,
): Promise<{ readonly duplicate: boolean }> {
  const { step_id, attempt_id, outcome, reason, result = null } = checked(resolution);
  const { store, objects, snapshots } = environment;
  const { workflow_id } = workflow;
  const { owner_id, fencing_token } = lease;
  const { row, ...reference }: Partial<StoredResult> =
    outcome === "completed"
      ? await storeResult(canonicalText(result), workflow_id, { objects, inlineBytes: snapshots.inlineBytes })
      : {};
  try {
    await workflow.execute({
      content: { resolve: step_id, attempt_id, outcome, reason, ...reference },
      author,
      command: resolveStep(
        { holder: { owner_id, fencing_token }, step_id, attempt_id },
        { outcome, reason, ...reference },
      ),
      prepare: async ({ at, state, event_seq }) => {
        if (!(await isCounted(workflow, store, state))) return "stale";
        const record = await readStep(store, workflow_id, step_id, { event_seq, state });
        if (record === "stale") return "stale";
        if (isRecorded(record, { attempt_id, outcome, result_checksum: reference.result_checksum }))
          throw new Recorded();
        assertOpen(record, step_id, attempt_id);
        lease.assertValid();
        const { result_ref, result_checksum } = reference;
        if (result_ref === undefined || result_checksum === undefined) return {};
        const of = { workflow_id, step_id, attempt_id };
        return {
          completion: completionRow(of, { result_ref, result_checksum }, at),
          ...(row ? { result: row } : {}),
        };
      },
    });
    return { duplicate: false };
  } catch (error) {
    if (error instanceof Recorded) return { duplicate: true };
    throw error;
  }
}

function checked(resolution: Resolution): Resolution {
  const { step_id, attempt_id, outcome, reason, result } = resolution;
  const isFit =
    typeof step_id === "string" &&
    Number.isSafeInteger(attempt_id) &&
    OUTCOMES.includes(outcome) &&
    typeof reason === "string" &&
    reason.trim() !== "" &&
    reason.length <= LONGEST_REASON &&
    (outcome === "completed" || result === undefined);
  if (!isFit)
    throw continuityError("bad-input", {
      expected:
        `step_id, attempt_id, an outcome of ${OUTCOMES.join(", ")}, a reason of 1 to ${LONGEST_REASON} characters, and a ` +
        "result with completed only",
      found: [step_id, attempt_id, outcome, reason].map(valueInline).join(", "),
      todo: "Nothing was written.",
    });
  assertStorable(reason, "the reason");
  if (result !== undefined) assertStorable(result, `the result of step ${nameInline(step_id)}`);
  return resolution;
}

function isRecorded(
  record: StepRecord | undefined,
  wanted: { readonly attempt_id: number; readonly outcome: Outcome; readonly result_checksum: string | undefined },
): boolean {
  const { event_type, data } = record?.ended ?? {};
  return (
    event_type === "step_resolved" &&
    data?.["attempt_id"] === wanted.attempt_id &&
    data["outcome"] === wanted.outcome &&
    data["result_checksum"] === wanted.result_checksum
  );
}

function assertOpen(record: StepRecord | undefined, step_id: string, attempt_id: number): void {
  if (!record)
    throw continuityError("step-not-started", {
      expected: `a step ${nameInline(step_id)} that was begun`,
      found: "none",
      todo: "Look at the open steps for its name. Nothing was written.",
    });
  const { attempt, status, ended } = record;
  if (attempt.attempt_id !== attempt_id)
    throw cannotResolve(
      step_id,
      `to be resolved by its latest attempt`,
      `attempt ${attempt_id}; the latest is ${attempt.attempt_id}`,
      "Name that one.",
    );
  if (status === "completed")
    throw cannotResolve(step_id, "not to be completed", "a result of it", "Begin the step, which returns its result.");
  if (ended?.event_type === "step_resolved" && status !== "abandoned")
    throw cannotResolve(
      step_id,
      "to have no outcome",
      `attempt ${attempt_id} did not happen, as was recorded`,
      "Begin the step again.",
    );
}
