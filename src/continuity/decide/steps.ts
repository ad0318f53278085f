import { nameInline } from "../../base/quoted.ts";
import { isSameAuthor } from "../base/author.ts";
import { continuityError } from "../base/errors.ts";
import type { OpenStep, StepType, WorkState } from "../base/state.ts";
import type { Command } from "./decision.ts";
import { ownEntry, taskOf } from "./find.ts";
import { assertHolds, ENGINE_TOKEN, type LeaseHolder } from "./leases.ts";
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
  readonly input_text: string;
  readonly input_length?: number;
}

/**
 * Begins an attempt under the lease. An open attempt under an earlier lease is replaced, because its executor is
 * fenced. Callers check whether the step was completed before: completed steps are rows, not part of the state.
 */
export function startStep({ holder, ...step }: StepBegin): Command {
  return (state, moment) => {
    const { at, author } = moment;
    assertHolds(state, holder);
    const running = ownEntry(state.open_steps, step.step_id);
    const guard = running && guardOf(state, running, holder);
    if (running && guard !== undefined) {
      throw continuityError("step-open", {
        expected: `step ${nameInline(step.step_id)} not to be executed already`,
        found: `attempt ${running.attempt_id} ${guard}, since ${running.started_at}: ${attemptText(running)}`,
        todo: `Complete or fail that attempt first. If its executor is gone: ${howToResolve()} Nothing was written.`,
      });
    }
    if (step.task_id !== null) taskOf(state, step.task_id, moment);
    const open: OpenStep = { ...step, fencing_token: holder.fencing_token, started_at: at, author };
    return {
      type: "step_started",
      data: { ...step, ...holder },
      state: { ...state, open_steps: { ...state.open_steps, [step.step_id]: open }, worked_at: at },
    };
  };
}

/** Returns under what an open attempt may still be executed; undefined when its executor is fenced, or it has failed. */
function guardOf({ lease }: WorkState, running: OpenStep, holder: LeaseHolder): string | undefined {
  const { fencing_token } = running;
  if (running.error !== undefined) return undefined;
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

/** Commits the result of an attempt; its lease must still have the fencing token with which the attempt began. */
export function completeStep({ holder, step_id, attempt_id }: StepEnd, result: CompletedResult): Command {
  return (state, { at }) => {
    const rest = ended(state, holder, step_id, attempt_id);
    return {
      type: "step_completed",
      data: { step_id, attempt_id, ...holder, ...result },
      state: { ...rest, completed_steps: state.completed_steps + 1, worked_at: at },
    };
  };
}

/**
 * Commits an attempt whose begin was not recorded, with its result: one event for both. An attempt of the same step that
 * was recorded and left open is replaced. Callers check that the step was not completed before.
 */
export function completeUnrecorded({ holder, ...step }: StepBegin, result: CompletedResult): Command {
  return (state, moment) => {
    const { state: begun } = startStep({ holder, ...step })(state, moment);
    const { [step.step_id]: _, ...others } = begun.open_steps;
    return {
      type: "step_completed",
      data: { ...step, ...holder, ...result },
      state: { ...begun, open_steps: others, completed_steps: state.completed_steps + 1 },
    };
  };
}

/**
 * Ends an attempt without a result; the step may begin again. A non_idempotent step that may have acted stays among the
 * open steps with its error, until its outcome is recorded or it begins again.
 */
export function failStep(
  { holder, step_id, attempt_id }: StepEnd,
  error: string,
  { mayHaveActed = false }: { readonly mayHaveActed?: boolean } = {},
): Command {
  return (state, { at, author }) => {
    const rest = ended(state, holder, step_id, attempt_id);
    const open = state.open_steps[step_id]!;
    const isOthers = open.author !== undefined && !isSameAuthor(open.author, author);
    const failed = { ...open, error, ...(isOthers ? { error_author: author } : {}) };
    const isUnknown = mayHaveActed && open.step_type === "non_idempotent";
    return {
      type: "step_failed",
      data: { step_id, attempt_id, ...holder, error, ...(mayHaveActed ? { may_have_acted: true } : {}) },
      state: {
        ...rest,
        ...(isUnknown ? { open_steps: { ...state.open_steps, [step_id]: failed } } : {}),
        worked_at: at,
      },
    };
  };
}

function ended(state: WorkState, holder: LeaseHolder, step_id: string, attempt_id: number): WorkState {
  const open = ownEntry(state.open_steps, step_id);
  assertHolds(
    state,
    holder,
    open && `Its attempt ${open.attempt_id} of ${nameInline(step_id)} may have acted. ${howToResolve()}`,
  );
  if (open?.attempt_id !== attempt_id || open.fencing_token !== holder.fencing_token || open.error !== undefined) {
    throw continuityError("step-not-started", {
      expected: `attempt ${attempt_id} of step ${nameInline(step_id)} to be open under fencing token ${holder.fencing_token}`,
      found: open
        ? `attempt ${open.attempt_id} under token ${open.fencing_token}, since ${open.started_at}: ${attemptText(open)}`
        : "no open attempt of this step",
      todo: `${open ? `That attempt may have acted. ${howToResolve()}` : "Begin the step first."} Nothing was written.`,
    });
  }
  const { [step_id]: _, ...others } = state.open_steps;
  return { ...state, open_steps: others };
}
