import { nameInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { Lease } from "./lease.ts";
import { thrownText } from "./recordable.ts";
import { checkedPauses, type RunRequest } from "./run-request.ts";
import { stepUnknown } from "./request.ts";
import type { Steps } from "./steps.ts";

/** How long a wait goes on without a look at the lease. */
const SLICE_MS = 1000;

/** What an executor receives: one attempt of one step. */
export interface Execution {
  readonly step_id: string;
  readonly attempt_id: number;
  readonly input: Json;
  /** To be passed to the outside system, which recognises a repetition by it. */
  readonly idempotency_key: string | null;
  /** The fencing token of the lease, for outside systems that can refuse one smaller than they have seen. */
  readonly fencing_token: number;
  readonly earlier_attempts: number;
  /**
   * Is aborted when the attempt's time is over; never without `timeoutMs`. What does not heed it goes on, and its
   * result is dropped.
   */
  readonly signal: AbortSignal;
}

/**
 * Does the work of a step: a model, a tool or a program. It does not decide about work state. Its result is recorded as
 * JSON.stringify writes it; where that cannot, a text that describes the result is recorded.
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
 * recorded, and so does every later one. Throws `bad-input`, and `step-unknown` for a non_idempotent step whose earlier
 * attempt may have acted, unless the request says `repeat: "after-unknown"`. When the executor throws, or its time is
 * over, the attempt is recorded as failed; then it is executed again as `retries` says, or the error is thrown to the
 * caller (`step-timeout` when its time was over). Throws `fenced` or `lease-expired` when the lease was lost meanwhile;
 * a result is then not committed, and nothing is executed again.
 */
export async function runStep(
  steps: Steps,
  lease: Lease,
  { timeoutMs, retries, ...request }: RunRequest,
  executor: StepExecutor,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<StepOutcome> {
  const pauses = checkedPauses(request, { timeoutMs, retries });
  for (;;) {
    const start = await steps.begin(lease, request);
    if (start.status === "open") throw stepUnknown(start.attempts);
    if (start.status === "completed") {
      const { result, result_form } = start;
      return { result, executed: false, ...(result_form ? { result_form } : {}) };
    }
    const { step_id, attempt_id, idempotency_key, earlier_attempts } = start;
    let result: unknown;
    try {
      const execution = { step_id, attempt_id, idempotency_key, earlier_attempts, input: request.input ?? null };
      result = await inTime(step_id, timeoutMs, (signal) =>
        executor.execute({ ...execution, fencing_token: lease.fencing_token, signal }),
      );
    } catch (error) {
      const isRecorded = await steps.fail(lease, start, thrownText(error), { mayHaveActed: true }).then(
        () => true,
        () => false,
      );
      const pause = pauses.next();
      // The executor's own error is thrown, also when the attempt can no longer be closed.
      if (!isRecorded || pause.done) throw error;
      await pauseUnderLease(lease, pause.value, sleep);
      continue;
    }
    return { ...(await steps.completeWith(lease, start, result)), executed: true };
  }
}

/** Waits in slices: a lease that was lost ends the wait with `lease-expired`. */
async function pauseUnderLease(
  lease: Lease,
  milliseconds: number,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<void> {
  for (let left = milliseconds; left > 0; left -= SLICE_MS) {
    lease.assertValid();
    await sleep(Math.min(left, SLICE_MS));
  }
  lease.assertValid();
}

/**
 * Throws `step-timeout` when the work takes longer; the signal is aborted then, and what the work does later is
 * dropped.
 */
async function inTime<T>(
  step_id: string,
  timeoutMs: number | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  if (timeoutMs === undefined) return work(controller.signal);
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = continuityError("step-timeout", {
        expected: `an attempt of step ${nameInline(step_id)} to end within ${timeoutMs} ms`,
        found: "no end of it; it may have acted, and may go on unless it heeds execution.signal",
        todo: "The attempt is recorded as failed. Give it more time, or find out what became of it.",
      });
      reject(error);
      controller.abort(error);
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), over]);
  } finally {
    clearTimeout(timer);
  }
}
