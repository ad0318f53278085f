import type { Author } from "../base/author.ts";
import { completeUnrecorded } from "../decide/steps.ts";
import type { LeaseHolder } from "../decide/leases.ts";
import type { Environment } from "../ledger/environment.ts";
import type { Workflow } from "../ledger/workflow.ts";
import type { Recordable } from "./recordable.ts";
import type { Checked } from "./request.ts";
import { completionRow, storeResult } from "./results.ts";
import { readStep } from "./step-record.ts";

/** An attempt that begins without an event: what its completion records of the begin. */
export interface Unrecorded {
  readonly step: Checked;
  readonly attempt_id: number;
  /** Position of the ledger at which the step was found not to be completed. */
  readonly event_seq: number;
}

/** Ends the commit without an event: another call completed the step meanwhile. */
class Overtaken extends Error {}

/**
 * Commits the begin and the completion of an attempt in one event. Returns whether that was done: false when the step
 * was completed by another call meanwhile. Throws `fenced` when another executor has the lease, and `step-open` when an
 * attempt of the step is recorded as open under it.
 */
export async function completeAtOnce(
  { environment, workflow, author }: { environment: Environment; workflow: Workflow; author: Author },
  holder: LeaseHolder,
  { step: { beside, ...step }, ...begun }: Unrecorded,
  { content, form }: Pick<Recordable, "content" | "form">,
): Promise<boolean> {
  const { store, objects, snapshots } = environment;
  const { workflow_id } = workflow;
  const { step_id, task_id, ...columns } = step;
  const { row, ...stored } = await storeResult(content, workflow_id, { objects, inlineBytes: snapshots.inlineBytes });
  const reference = { ...stored, ...(form === "text" ? { result_form: "text" as const } : {}) };
  let { attempt_id } = begun;
  try {
    await workflow.execute({
      content: { complete: step_id, unrecorded: true, ...reference },
      author,
      about: task_id === null ? [] : [task_id],
      prepare: async ({ at, state, event_seq }) => {
        if (event_seq !== begun.event_seq) {
          const record = await readStep(store, workflow_id, step_id, { event_seq, state });
          if (record === "stale") return "stale";
          if (record?.completion) throw new Overtaken();
          attempt_id = (record?.attempt.attempt_id ?? 0) + 1;
        }
        const of = { workflow_id, step_id, attempt_id };
        return {
          attempt: { ...of, ...columns, started_at: at, fencing_token: holder.fencing_token },
          completion: completionRow(of, reference, at),
          ...(row ? { result: row } : {}),
        };
      },
      command: (state, moment) =>
        completeUnrecorded({ ...step, ...beside, holder, attempt_id }, reference)(state, moment),
    });
    return true;
  } catch (error) {
    if (error instanceof Overtaken) return false;
    throw error;
  }
}
