/** Commands on steps: an attempt begins, completes or fails. */
import { nameInline } from "../../base/quoted.ts";
import { isSameAuthor } from "../base/author.ts";
import { continuityError } from "../base/errors.ts";
import type { OpenStep, StepType, WorkState } from "../base/state.ts";
import type { Command } from "./decision.ts";
import { requireTask } from "./find.ts";
import { assertHolds, ENGINE_TOKEN, type LeaseHolder } from "./leases.ts";
import { listAttempts, isOnce, isOver, withAttempts } from "./open-attempts.ts";
import { attemptText, howToResolve } from "./step-words.ts";

/** A step that begins; the attempt number follows from the earlier attempts. */
export interface StepBegin {
  readonly holder: LeaseHolder;
  readonly step_id: string;
  readonly step_type: StepType;
  readonly attempt_id: number;
  readonly idempotency_key: string | null;
  readonly input_checksum: string;
  readonly task_id: string | null;
  readonly call_id?: string;
  readonly input_text: string;
  readonly input_length?: number;
  /** The step may have happened between a copy and its restoration, which is that event. */
  readonly unknown_since?: number;
  /** Records only that, and begins nothing. */
  readonly not_begun?: true;
}

/**
 * Begins an attempt under the lease. Of a non_idempotent step earlier attempts stay open until each is resolved, or the
 * step is completed; of another step they are replaced, because their executors are fenced. Callers check whether the
 * step was completed before: completed steps are rows, not part of the state.
 */
export function startStep({ holder, ...step }: StepBegin): Command {
  return (state, moment) => {
    const { at, author } = moment;
    assertHolds(state, holder);
    assertIdle(state, step.step_id, holder);
    if (step.task_id !== null) requireTask(state, step.task_id, moment);
    const open: OpenStep = { ...step, fencing_token: holder.fencing_token, started_at: at, author };
    const earlier = isOnce(step) ? listAttempts(state, step.step_id) : [];
    return {
      type: "step_started",
      data: { ...step, ...holder },
      state: { ...withAttempts(state, step.step_id, [...earlier, open]), worked_at: at },
    };
  };
}

/** Returns the attempt of a step that may still be executed, and under what; undefined when none may. */
export function runningAttempt(
  state: WorkState,
  step_id: string,
  holder: LeaseHolder,
): { readonly running: OpenStep; readonly guard: string } | undefined {
  for (const running of listAttempts(state, step_id)) {
    const guard = findGuard(state, running, holder);
    if (guard !== undefined) return { running, guard };
  }
  return undefined;
}

function assertIdle(state: WorkState, step_id: string, holder: LeaseHolder): void {
  const { running, guard } = runningAttempt(state, step_id, holder) ?? {};
  if (!running) return;
  throw continuityError("step-open", {
    expected: `step ${nameInline(step_id)} not to be executed already`,
    found: `attempt ${running.attempt_id} ${guard}, since ${running.started_at}: ${attemptText(running)}`,
    todo: `Complete or fail that attempt first. If its executor is gone: ${howToResolve()} Nothing was written.`,
  });
}

/** Returns under what an open attempt may still be executed; undefined when its executor is fenced, or it is over. */
function findGuard({ lease }: WorkState, running: OpenStep, holder: LeaseHolder): string | undefined {
  const { fencing_token } = running;
  if (isOver(running)) return undefined;
  if (fencing_token === ENGINE_TOKEN) return "by a durable engine, which needs no lease";
  if (fencing_token === holder.fencing_token) return "under this very lease";
  // An engine fences nobody: a lease that was not released counts as used, also after its time.
  const isHeld = lease.owner_id !== null && lease.fencing_token === fencing_token;
  return holder.fencing_token === ENGINE_TOKEN && isHeld
    ? `under the lease of ${nameInline(lease.owner_id!)}`
    : undefined;
}

/** Identifies the attempt that ends. */
export interface StepEnd {
  readonly holder: LeaseHolder;
  readonly step_id: string;
  readonly attempt_id: number;
}

/** The reference to a result, as the event of a completion holds it. */
export interface CompletedResult {
  readonly result_ref: string;
  readonly result_checksum: string;
  /** The result is a text that tells of a value which JSON cannot write. */
  readonly result_form?: "text";
}

/**
 * Commits the result of an attempt; its lease must still have the fencing token with which the attempt began. The step
 * is done: whatever became of its earlier attempts, it does not begin again.
 */
export function completeStep({ holder, step_id, attempt_id }: StepEnd, result: CompletedResult): Command {
  return (state, { at }) => {
    attemptToEnd(state, holder, step_id, attempt_id);
    return {
      type: "step_completed",
      data: { step_id, attempt_id, ...holder, ...result },
      state: { ...withAttempts(state, step_id, []), completed_steps: state.completed_steps + 1, worked_at: at },
    };
  };
}

/**
 * Commits an attempt whose begin was not recorded, with its result: one event for both. An attempt of the same step
 * that was recorded and left open is replaced. Callers check that the step was not completed before.
 */
export function completeUnrecorded({ holder, ...step }: StepBegin, result: CompletedResult): Command {
  return (state, moment) => {
    const { state: begun } = startStep({ holder, ...step })(state, moment);
    return {
      type: "step_completed",
      data: { ...step, ...holder, ...result },
      state: { ...withAttempts(begun, step.step_id, []), completed_steps: state.completed_steps + 1 },
    };
  };
}

/**
 * Ends an attempt without a result. It says nothing of earlier attempts: of a non_idempotent step those stay open whose
 * outcome is unknown, and so does this one, with its error, when it may have acted itself, or the step may have
 * happened before it.
 */
export function failStep(
  { holder, step_id, attempt_id }: StepEnd,
  error: string,
  { mayHaveActed = false }: { readonly mayHaveActed?: boolean } = {},
): Command {
  return (state, { at, author }) => {
    const open = attemptToEnd(state, holder, step_id, attempt_id);
    const isOthers = !isSameAuthor(open.author, author);
    const isUnknown = mayHaveActed || open.unknown_since !== undefined;
    const failed = { ...open, error, ...(isOthers ? { error_author: author } : {}) };
    const otherAttempts = listAttempts(state, step_id).filter((one) => one.attempt_id !== attempt_id);
    return {
      type: "step_failed",
      data: { step_id, attempt_id, ...holder, error, ...(isUnknown ? { may_have_acted: true } : {}) },
      state: {
        ...withAttempts(state, step_id, isUnknown && isOnce(open) ? [...otherAttempts, failed] : otherAttempts),
        worked_at: at,
      },
    };
  };
}

/** Returns the open attempt, which its own executor ends. */
function attemptToEnd(state: WorkState, holder: LeaseHolder, step_id: string, attempt_id: number): OpenStep {
  const attempts = listAttempts(state, step_id);
  const open = attempts.find((one) => one.attempt_id === attempt_id) ?? attempts.at(-1);
  assertHolds(
    state,
    holder,
    open && `Its attempt ${open.attempt_id} of ${nameInline(step_id)} may have acted. ${howToResolve()}`,
  );
  if (open?.attempt_id === attempt_id && open.fencing_token === holder.fencing_token && !isOver(open)) return open;
  throw continuityError("step-not-started", {
    expected:
      `attempt ${attempt_id} of step ${nameInline(step_id)} to be open under fencing ` +
      `token ${holder.fencing_token}`,
    found: open
      ? `attempt ${open.attempt_id} under token ${open.fencing_token}, since ${open.started_at}: ${attemptText(open)}`
      : "no open attempt of this step",
    todo: `${open ? `That attempt may have acted. ${howToResolve()}` : "Begin the step first."} Nothing was written.`,
  });
}
