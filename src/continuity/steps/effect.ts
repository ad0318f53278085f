import type { OpenStep, UnknownSince, WorkState } from "../base/state.ts";
import type { Environment } from "../ledger/environment.ts";
import type { Workflow } from "../ledger/workflow.ts";
import { normalizeKey } from "./request.ts";
import { loadResult } from "./results.ts";
import { isCounted, readEffect, type StepRecord } from "./step-record.ts";
import type { StepStart } from "./attempt.ts";

/** A step that was completed, with its result. */
export type CompletedStart = Extract<StepStart, { readonly status: "completed" }>;

/** Whether an effect that must not happen twice has happened, as the ledger knows it. */
export type Effect =
  | (Omit<CompletedStart, "status"> & { readonly status: "done" })
  | {
      readonly status: "may_have_happened";
      /** Attempts whose outcome is unknown, also those that were given up. */
      readonly attempts: readonly OpenStep[];
      /**
       * Since when the step may have happened unseen by this ledger, which goes on from a copy; null where only
       * `attempts` may have acted.
       */
      readonly unknown_since: UnknownSince | null;
    }
  /** Every attempt of it failed without effect, or was found not to have happened. */
  | { readonly status: "did_not_happen"; readonly step_id: string; readonly attempt_id: number }
  | { readonly status: "never_begun" };

/** Answers for the effect of an idempotency key, by the same rules as the begin of a step. Writes nothing. */
export async function lookUpEffect(environment: Environment, workflow: Workflow, key: string): Promise<Effect> {
  const { store } = environment;
  const { record, state } = await workflow.look(async (position) => {
    if (!(await isCounted(workflow, store, position.state))) return "stale";
    const found = await readEffect(store, workflow.workflow_id, { idempotency_key: normalizeKey(key) }, position);
    return found === "stale" ? found : { record: found, state: position.state };
  });
  if (record?.completion) return { ...(await completedStart(environment, record)), status: "done" };
  const since = unknownSince(state, record);
  const attempts = record?.open ?? [];
  if (attempts.length > 0 || since !== undefined)
    return { status: "may_have_happened", attempts, unknown_since: since === undefined ? null : state.unknown_since! };
  if (!record) return { status: "never_begun" };
  const { step_id, attempt_id } = record.attempt;
  return { status: "did_not_happen", step_id, attempt_id };
}

/**
 * Returns the event since which a step that must not happen twice may have happened: a restoration behind its latest
 * attempt. Undefined when the ledger knows of everything.
 */
export function unknownSince({ unknown_since: since }: WorkState, record: StepRecord | undefined): number | undefined {
  return since && (!record || record.started.event_seq < since.event_seq) ? since.event_seq : undefined;
}

/** Returns the answer for a step that was completed. */
export async function completedStart(
  { store, objects }: Pick<Environment, "store" | "objects">,
  { completion, ended }: StepRecord,
): Promise<CompletedStart> {
  const { step_id, attempt_id } = completion!;
  return {
    status: "completed",
    step_id,
    attempt_id,
    author: ended!.author,
    result: await loadResult(completion!, store, objects),
    ...(ended!.data["result_form"] === "text" ? { result_form: "text" } : {}),
  };
}
