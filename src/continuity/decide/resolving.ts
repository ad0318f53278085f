import { nameInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import type { OpenStep } from "../base/state.ts";
import type { Command } from "./decision.ts";
import { assertHolds, type LeaseHolder } from "./leases.ts";
import { listAttempts, withAttempts } from "./open-attempts.ts";
import type { CompletedResult } from "./steps.ts";

/** What became of an attempt whose executor did not say so itself. */
export const OUTCOMES = ["completed", "not_done", "abandoned"] as const;

/**
 * `completed`: it acted, and this is its result. `not_done`: it did not happen, the step may begin again. `abandoned`:
 * nobody knows or it no longer matters; the step does not begin again.
 */
export type Outcome = (typeof OUTCOMES)[number];

/**
 * Records what became of an attempt, under the lease of whoever found out; the lease under which the attempt began may
 * be over. It tells nothing of other attempts, unless the step is completed. Callers check in the ledger that the
 * attempt has no outcome.
 */
export function resolveStep(
  holder: LeaseHolder,
  attempt: OpenStep,
  { outcome, reason, ...result }: { readonly outcome: Outcome; readonly reason: string } & Partial<CompletedResult>,
): Command {
  return (state, { at }) => {
    assertHolds(state, holder);
    const { step_id, attempt_id } = attempt;
    const otherAttempts = listAttempts(state, step_id).filter((one) => one.attempt_id !== attempt_id);
    const isCompleted = outcome === "completed";
    const remaining =
      outcome === "abandoned" ? inOrder([...otherAttempts, { ...attempt, given_up: reason }]) : otherAttempts;
    return {
      type: "step_resolved",
      data: { step_id, attempt_id, ...holder, outcome, reason, ...result },
      state: {
        ...withAttempts(state, step_id, isCompleted ? [] : remaining),
        completed_steps: state.completed_steps + (isCompleted ? 1 : 0),
        worked_at: at,
      },
    };
  };
}

function inOrder(attempts: readonly OpenStep[]): readonly OpenStep[] {
  return attempts.toSorted((a, b) => a.attempt_id - b.attempt_id);
}

/** Refuses an attempt that cannot be resolved that way. */
export function cannotResolve(step_id: string, expected: string, found: string, todo: string): Error {
  return continuityError("invalid-transition", {
    expected: `step ${nameInline(step_id)} ${expected}`,
    found,
    todo: `${todo} Nothing was written.`,
  });
}
