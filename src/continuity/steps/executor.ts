import type { Json } from "../base/json.ts";
import type { Lease } from "./lease.ts";
import type { StepRequest, Steps } from "./steps.ts";

/** What an executor is given: one attempt of one step. */
export interface Execution {
  readonly step_id: string;
  readonly attempt_id: number;
  readonly input: Json;
  /** Hand it on to the outside system, so that a repetition is recognised. */
  readonly idempotency_key: string | null;
  /** For outside systems that can refuse a smaller token than they have seen. */
  readonly fencing_token: number;
  readonly earlier_attempts: number;
}

/**
 * Does the work of a step: a model, a tool, a program (document, section 5: the LLM executor). It decides nothing about
 * work state.
 */
export interface StepExecutor {
  execute(execution: Execution): Promise<Json>;
}

/**
 * Executes a step once: a result that was committed before is returned and nothing is run. An executor that throws has
 * its attempt recorded as failed, and the error goes on to the caller. Throws `fenced` when the lease was taken over
 * meanwhile: the result is not committed then.
 */
export async function runStep(
  steps: Steps,
  lease: Lease,
  request: StepRequest,
  executor: StepExecutor,
): Promise<{ readonly result: Json; readonly executed: boolean }> {
  const start = await steps.begin(lease, request);
  if (start.status === "completed") return { result: start.result, executed: false };
  const { step_id, attempt_id, idempotency_key, earlier_attempts } = start;
  let result: Json;
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
    // The executor's own error is the one to be told, also when the attempt can no longer be closed.
    await steps.fail(lease, start, error instanceof Error ? error.message : String(error)).catch(() => undefined);
    throw error;
  }
  await steps.complete(lease, start, result);
  return { result, executed: true };
}
