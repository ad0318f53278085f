import { RECORDS, type WorkState } from "../base/state.ts";
import type { ProjectLine } from "./format.ts";

/** Returns the state that a text of a backup is; undefined for another text. Its checksum is that of an event. */
export function stateOfText(
  text: string,
  { project_id, workflow_id }: Pick<ProjectLine, "project_id" | "workflow_id">,
): WorkState | undefined {
  try {
    const state = JSON.parse(text) as Partial<WorkState> | null;
    const isState =
      state?.project_id === project_id &&
      state.workflow_id === workflow_id &&
      [...RECORDS, "lease" as const].every((name) => typeof state[name] === "object" && state[name] !== null) &&
      Number.isSafeInteger(state.lease?.fencing_token) &&
      Number.isSafeInteger(state.completed_steps);
    return isState ? (state as WorkState) : undefined;
  } catch {
    return undefined;
  }
}
