import { nameInline, valueInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import type { StepRequest } from "./request.ts";

/** How often `runStep` executes a step that fails, and how long it waits in between. */
export interface Retries {
  /** Attempts of this call in all, the first one included: 1 to 1,000. */
  readonly attempts: number;
  /** Milliseconds before the second attempt. */
  readonly backoffMs: number;
  /** The factor by which each further wait grows; 2 by default, at least 1. */
  readonly factor?: number | undefined;
  /** The longest wait, in milliseconds; a minute by default. */
  readonly maxBackoffMs?: number | undefined;
}

/** A step for `runStep`. */
export interface RunRequest extends StepRequest {
  /**
   * Milliseconds after which an attempt is given up: its signal is aborted, and it is recorded as failed. A
   * non_idempotent one may have acted.
   */
  readonly timeoutMs?: number | undefined;
  /** Only for pure and idempotent steps. Each attempt is recorded. */
  readonly retries?: Retries | undefined;
}

/** The longest time that a timer of Node takes. */
const LONGEST_MS = 2 ** 31 - 1;
const MOST_ATTEMPTS = 1000;

/**
 * Returns the waits between the attempts, which are as many as there are retries. Throws `bad-input` for times and
 * numbers out of range, and for retries of a non_idempotent step.
 */
export function checkedPauses(
  { step_id, step_type }: StepRequest,
  { timeoutMs, retries }: Pick<RunRequest, "timeoutMs" | "retries">,
): Generator<number, void> {
  if (timeoutMs !== undefined && !isTime(timeoutMs, 1))
    refuse(`a timeoutMs of 1 to ${LONGEST_MS}, in milliseconds`, valueInline(timeoutMs));
  if (retries === undefined) return retryPauses({ attempts: 1, backoffMs: 0 });
  if (step_type === "non_idempotent")
    refuse(
      `no retries for the non_idempotent step ${nameInline(step_id)}, because an attempt that failed may have acted`,
      valueInline(retries),
    );
  const { attempts, backoffMs, factor = 2, maxBackoffMs = 60_000 } = retries;
  const isFit =
    Number.isInteger(attempts) &&
    attempts >= 1 &&
    attempts <= MOST_ATTEMPTS &&
    isTime(backoffMs, 0) &&
    isTime(maxBackoffMs, 0) &&
    Number.isFinite(factor) &&
    factor >= 1;
  if (!isFit)
    refuse(
      `retries with 1 to ${MOST_ATTEMPTS} attempts, times of 0 to ${LONGEST_MS} ms, and a factor of at least 1`,
      valueInline(retries),
    );
  return retryPauses({ attempts, backoffMs, factor, maxBackoffMs });
}

function* retryPauses({ attempts, backoffMs, factor = 2, maxBackoffMs = 60_000 }: Retries): Generator<number, void> {
  for (let retry = 0; retry < attempts - 1; retry++) yield Math.min(maxBackoffMs, backoffMs * factor ** retry);
}

function isTime(value: unknown, least: number): boolean {
  return typeof value === "number" && value >= least && value <= LONGEST_MS;
}

function refuse(expected: string, found: string): never {
  throw continuityError("bad-input", { expected, found, todo: "Nothing was written, and nothing was executed." });
}
