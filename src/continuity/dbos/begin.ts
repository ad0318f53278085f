import { setTimeout as sleep } from "node:timers/promises";
import { nameInline } from "../../base/quoted.ts";
import { ContinuityError, continuityError, type ContinuityErrorCode } from "../base/errors.ts";
import { howToResolve } from "../decide/step-words.ts";
import type { EngineSteps, RecordedResult } from "../steps/engine-steps.ts";
import type { StepRequest } from "../steps/request.ts";

/** The attempt that the body executes, or the result that makes it needless. */
export type Begun =
  | { readonly attempt_id: number; readonly earlier_attempts: number }
  | { readonly done: RecordedResult };

/** Refusals that end by themselves: the store comes back, the holder of a lease ends its attempt. */
const PASSING: ReadonlySet<ContinuityErrorCode> = new Set(["unavailable", "busy", "step-open"]);
const LONGEST_PAUSE_MS = 30_000;
/** How often a step that another executor has open is asked for: about a minute. */
const OPEN_TRIES = 12;

/**
 * Begins the attempt of a DBOS workflow in the ledger, whose steps `open` gives, or continues the one that this
 * workflow began before a crash. Waits while the store does not answer: DBOS has recorded the workflow, and nothing
 * else would start it again. Throws `step-unknown` for a non_idempotent step that is executed again after a crash,
 * unless the request says `repeat: "after-unknown"`.
 */
export async function beginOrContinue(open: () => Promise<EngineSteps>, request: StepRequest): Promise<Begun> {
  for (let tries = 0; ; tries++) {
    try {
      return await begin(await open(), request);
    } catch (error) {
      const code = error instanceof ContinuityError ? error.code : undefined;
      if (code === undefined || !PASSING.has(code) || (code === "step-open" && tries >= OPEN_TRIES)) throw error;
      await sleep(Math.min(LONGEST_PAUSE_MS, 20 * 2 ** tries));
    }
  }
}

async function begin(steps: EngineSteps, request: StepRequest): Promise<Begun> {
  const { step_id, step_type, repeat } = request;
  const before = await steps.look(request);
  if (before && steps.isMine(before)) {
    if (step_type === "non_idempotent" && repeat !== "after-unknown") throw repetition(step_id, before.attempt_id);
    return { attempt_id: before.attempt_id, earlier_attempts: before.attempt_id - 1 };
  }
  const start = await steps.begin(request);
  if (start.status === "run") return start;
  const { result, result_form } = start;
  return { done: { result, ...(result_form ? { result_form } : {}) } };
}

function repetition(step_id: string, attempt_id: number): Error {
  return continuityError("step-unknown", {
    expected: `step ${nameInline(step_id)}, which must not happen twice, to be executed in one go`,
    found: `attempt ${attempt_id}, whose process ended before its result was recorded`,
    todo:
      `${howToResolve()} Or say repeat: "after-unknown", if the outside system recognises the idempotency key and a ` +
      "repetition does no harm. Nothing was executed again.",
  });
}
