/** The attempts of steps whose outcome is unknown, as the state keeps them. */
import type { OpenStep, StepType, WorkState } from "../base/state.ts";
import { ownEntry } from "./find.ts";

/** Returns the attempts of a step whose outcome is unknown, the first one first; also those that were given up. */
export function listAttempts(state: WorkState, step_id: string): readonly OpenStep[] {
  const open = ownEntry(state.open_steps, step_id);
  if (!open) return [];
  const { earlier = [], ...latest } = open;
  return [...earlier, latest];
}

/** Returns the attempts of all steps whose outcome somebody has to find out, by the names of the steps. */
export function openAttempts(state: WorkState): readonly OpenStep[] {
  return Object.keys(state.open_steps)
    .toSorted()
    .flatMap((step_id) => listAttempts(state, step_id))
    .filter(({ given_up }) => given_up === undefined);
}

/** Returns the names of the steps of attempts, each once. */
export function listStepIds(attempts: readonly OpenStep[]): readonly string[] {
  return [...new Set(attempts.map(({ step_id }) => step_id))];
}

/** Returns the state with these attempts of a step as those whose outcome is unknown. */
export function withAttempts(state: WorkState, step_id: string, attempts: readonly OpenStep[]): WorkState {
  const { [step_id]: _, ...others } = state.open_steps;
  const latest = attempts.at(-1);
  const earlier = attempts.slice(0, -1);
  const open = latest && { ...latest, ...(earlier.length > 0 ? { earlier } : {}) };
  return { ...state, open_steps: open ? { ...others, [step_id]: open } : others };
}

/** Returns whether every attempt of such a step counts until its outcome is known, whichever comes later. */
export function isOnce({ step_type }: { readonly step_type: StepType }): boolean {
  return step_type === "non_idempotent";
}

/** Returns whether nobody executes an attempt any more: only a resolution can tell its outcome. */
export function isOver({ error, not_begun, given_up }: OpenStep): boolean {
  return error !== undefined || not_begun === true || given_up !== undefined;
}
