import type { StepRequest } from "../../src/continuity/index.ts";
import { makeRandom } from "../../harness/random.ts";

/** A step as every worker and every attempt finds it. */
export interface ScriptedStep extends StepRequest {
  /** How long its body takes. */
  readonly workMs: number;
  /** Attempts that end with an error. */
  readonly failures: number;
}

const TYPES = ["pure", "idempotent", "non_idempotent"] as const;

/** The step at a place of a project, the same whenever it is asked for. Some take longer than a lease holds. */
export function scriptedStep(seed: string, project_id: string, at: number): ScriptedStep {
  const random = makeRandom(`${seed}/${project_id}/${at}`);
  const step_type = TYPES[at % TYPES.length]!;
  const kind = random.real();
  const workMs = kind < 0.8 ? random.between(0, 4) : kind < 0.97 ? random.between(10, 60) : random.between(200, 1200);
  return {
    step_id: `step-${at}`,
    step_type,
    workMs,
    input: { project_id, at },
    failures: random.chance(0.04) ? 1 : 0,
    ...(step_type === "non_idempotent" ? { idempotency_key: `${project_id}/${at}` } : {}),
  };
}

/** The names of the projects of a run. */
export function projectNames(workflows: number): string[] {
  return Array.from({ length: workflows }, (_, at) => `project-${at}`);
}
