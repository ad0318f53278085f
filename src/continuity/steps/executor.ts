import type { Json } from "../base/json.ts";
import type { Lease } from "./lease.ts";
import type { StepRequest, Steps } from "./steps.ts";

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

/** Does the work of a step: a model, a tool or a program. It does not decide about work state. */
export interface StepExecutor {
  execute(execution: Execution): Promise<Json>;
}

/**
 * Executes a step once: an earlier result is returned without an execution. When the executor throws, the attempt is
 * recorded as failed and the error is thrown to the caller. Throws `fenced` when the lease was taken over meanwhile;
 * the result is then not committed.
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
    // The executor's own error is thrown, also when the attempt can no longer be closed.
    await steps.fail(lease, start, error instanceof Error ? error.message : String(error)).catch(() => undefined);
    throw error;
  }
  await steps.complete(lease, start, result);
  return { result, executed: true };
}
