/** Records what became of an attempt whose outcome was unknown. */
import { nameInline, valueInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { continuityError } from "../base/errors.ts";
import { assertStorable, canonicalText, type Json } from "../base/json.ts";
import { cannotResolve, type Outcome, OUTCOMES, resolveStep } from "../decide/resolving.ts";
import type { OpenStep } from "../base/state.ts";
import type { Environment } from "../ledger/environment.ts";
import type { LedgerEvent } from "../ledger/events.ts";
import type { Workflow } from "../ledger/workflow.ts";
import type { StepGuard } from "./lease.ts";
import { completionRow, type StoredResult, storeResult } from "./results.ts";
import { isCounted, readAttempt, eventsOfAttempt, readStep, type StepRecord } from "./step-record.ts";
import type { Attempt } from "./attempt.ts";

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
  let attempt: OpenStep | undefined;
  try {
    await workflow.execute({
      content: { resolve: step_id, attempt_id, outcome, reason, ...reference },
      author,
      command: (state, moment) =>
        resolveStep({ owner_id, fencing_token }, attempt!, { outcome, reason, ...reference })(state, moment),
      prepare: async ({ at, state, event_seq }) => {
        if (!(await isCounted(workflow, store, state))) return "stale";
        const record = await readStep(store, workflow_id, step_id, { event_seq, state });
        if (record === "stale") return "stale";
        const events = await eventsOfAttempt(store, workflow_id, { step_id, attempt_id });
        if (isRecorded(events.at(-1), { outcome, result_checksum: reference.result_checksum })) throw new Recorded();
        attempt = unresolved(record, events, { step_id, attempt_id });
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
        `step_id, attempt_id, an outcome of ${OUTCOMES.join(", ")}, a reason of 1 to ${LONGEST_REASON} ` +
        "characters, and a result with completed only",
      found: [step_id, attempt_id, outcome, reason].map(valueInline).join(", "),
      todo: "Nothing was written.",
    });
  assertStorable(reason, "the reason");
  if (result !== undefined) assertStorable(result, `the result of step ${nameInline(step_id)}`);
  return resolution;
}

function isRecorded(
  last: LedgerEvent | undefined,
  wanted: { readonly outcome: Outcome; readonly result_checksum: string | undefined },
): boolean {
  return (
    last?.event_type === "step_resolved" &&
    last.data["outcome"] === wanted.outcome &&
    last.data["result_checksum"] === wanted.result_checksum
  );
}

/**
 * Returns the attempt as one whose outcome is unknown, although it may have been said to have failed without effect.
 */
function unresolved(
  record: StepRecord | undefined,
  events: readonly LedgerEvent[],
  { step_id, attempt_id }: Attempt,
): OpenStep {
  if (!record)
    throw continuityError("step-not-started", {
      expected: `a step ${nameInline(step_id)} that was begun`,
      found: "none",
      todo: "Look at the open steps for its name. Nothing was written.",
    });
  if (record.completion)
    throw cannotResolve(step_id, "not to be completed", "a result of it", "Begin the step, which returns its result.");
  const open = record.open.find((one) => one.attempt_id === attempt_id);
  if (open) return open;
  const [started, last] = [events[0], events.at(-1)];
  if (!started || !last)
    throw cannotResolve(
      step_id,
      "to have that attempt",
      `attempt ${attempt_id}; the latest is ${record.attempt.attempt_id}`,
      "Name one of its attempts.",
    );
  if (last.event_type !== "step_failed")
    throw cannotResolve(
      step_id,
      "to have no outcome",
      last.event_type === "step_resolved"
        ? `attempt ${attempt_id} did not happen, as was recorded`
        : `attempt ${attempt_id} was replaced by a later one`,
      "Begin the step again.",
    );
  const { workflow_id: _, ...row } = readAttempt(started);
  const { task_id, input_text, input_length } = started.data as unknown as OpenStep;
  return {
    ...row,
    task_id,
    input_text,
    ...(input_length === undefined ? {} : { input_length }),
    error: String(last.data["error"]),
    author: started.author,
  };
}
