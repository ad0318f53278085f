import { nameInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import type { Command } from "./decision.ts";
import { ownEntry } from "./find.ts";
import { assertHolds } from "./leases.ts";
import type { CompletedResult, StepEnd } from "./steps.ts";

/** What became of an attempt whose executor did not say so itself. */
export const OUTCOMES = ["completed", "not_done", "abandoned"] as const;
/**
 * `completed`: it acted, and this is its result. `not_done`: it did not happen, the step may begin again. `abandoned`:
 * nobody knows or it no longer matters; the step does not begin again.
 */
export type Outcome = (typeof OUTCOMES)[number];

/**
 * Records what became of an attempt, under the lease of whoever found out; the lease under which the attempt began may
 * be over. Callers check in the ledger that the attempt is the latest one and has no outcome.
 */
export function resolveStep(
  { holder, step_id, attempt_id }: StepEnd,
  { outcome, reason, ...result }: { readonly outcome: Outcome; readonly reason: string } & Partial<CompletedResult>,
): Command {
  return (state, { at }) => {
    assertHolds(state, holder);
    const open = ownEntry(state.open_steps, step_id);
    const { [step_id]: _, ...others } = state.open_steps;
    return {
      type: "step_resolved",
      data: { step_id, attempt_id, ...holder, outcome, reason, ...result },
      state: {
        ...state,
        open_steps: open ? others : state.open_steps,
        completed_steps: state.completed_steps + (outcome === "completed" ? 1 : 0),
        worked_at: at,
      },
    };
  };
}

/** Refuses an attempt that cannot be resolved that way. */
export function cannotResolve(step_id: string, expected: string, found: string, todo: string): Error {
  return continuityError("invalid-transition", {
    expected: `step ${nameInline(step_id)} ${expected}`,
    found,
    todo: `${todo} Nothing was written.`,
  });
}
