import type { Json } from "../base/json.ts";
import type { Lease } from "./lease.ts";
import { messageOf } from "./recordable.ts";
import type { StepRequest } from "./request.ts";
import type { Steps } from "./steps.ts";

/** What an executor receives: one attempt of one step. */
export interface Execution {
  readonly step_id: string;
  readonly attempt_id: number;
  readonly input: Json;
  /** To be passed to the outside system, which recognises a repetition by it. */
  readonly idempotency_key: string | null;
  /** For outside systems that can refuse a token smaller than one they have seen. */
  readonly fencing_token: number;
  readonly earlier_attempts: number;
}

/**
 * Does the work of a step: a model, a tool or a program. It does not decide about work state. Whatever it returns is
 * recorded: what JSON.stringify writes of it, else a text that tells of it.
 */
export interface StepExecutor {
  execute(execution: Execution): Promise<unknown>;
}

/** What came of a step; `executed` is false when it was completed before. */
export interface StepOutcome {
  readonly result: Json;
  readonly executed: boolean;
  /** The result is a text that tells of a value which JSON cannot write. */
  readonly result_form?: "text";
}

/**
 * Executes a step once: an earlier result is returned without an execution. The first call returns the result as it was
 * recorded, and so does every later one. Throws `step-unknown` for a non_idempotent step whose earlier attempt may have
 * acted, unless the request says `repeat: "after-unknown"`. When the executor throws, the attempt is
 * recorded as failed and the error is thrown to the caller. Throws `fenced` when the lease was taken over meanwhile;
 * the result is then not committed.
 */
export async function runStep(
  steps: Steps,
  lease: Lease,
  request: StepRequest,
  executor: StepExecutor,
): Promise<StepOutcome> {
  const start = await steps.begin(lease, request, { refuseUnknown: true });
  if (start.status === "completed") {
    const { result, result_form } = start;
    return { result, executed: false, ...(result_form ? { result_form } : {}) };
  }
  const { step_id, attempt_id, idempotency_key, earlier_attempts } = start;
  let result: unknown;
  try {
    result = await executor.execute({
      step_id,
      attempt_id,
      idempotency_key,
      earlier_attempts,
      input: request.input ?? null,
      fencing_token: lease.fencing_token,
    });
  } catch (error) {
    // The executor's own error is thrown, also when the attempt can no longer be closed.
    await steps.fail(lease, start, messageOf(error), { mayHaveActed: true }).catch(() => undefined);
    throw error;
  }
  return { ...(await steps.completeWith(lease, start, result)), executed: true };
}
