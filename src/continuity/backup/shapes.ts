import { isTimeText, LARGEST_TOKEN, stateFault } from "../base/shapes.ts";
import type { WorkState } from "../base/state.ts";
import { isProjectId } from "../base/workflow-id.ts";
import type { ProjectLine } from "./format.ts";

/** Returns the state that a text of a backup is; undefined for another text. Its checksum is that of an event. */
export function stateOfText(
  text: string,
  { project_id, workflow_id }: Pick<ProjectLine, "project_id" | "workflow_id">,
): WorkState | undefined {
  try {
    const state = JSON.parse(text) as Partial<WorkState> | null;
    const isState =
      state?.project_id === project_id && state.workflow_id === workflow_id && stateFault(state) === undefined;
    return isState ? (state as WorkState) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the parts of a project's line have the kinds that they must have. */
export function isProjectLine(line: ProjectLine): boolean {
  const { project_id, created_at, event_seq, checksum, fencing_token, base } = line;
  return (
    isProjectId(project_id) &&
    isTimeText(created_at) &&
    Number.isSafeInteger(event_seq) &&
    event_seq >= 0 &&
    Number.isSafeInteger(fencing_token) &&
    fencing_token >= 0 &&
    fencing_token <= LARGEST_TOKEN &&
    (typeof checksum === "string" || checksum === null) &&
    (base === undefined || isBase(base, event_seq))
  );
}

function isBase(base: ProjectLine["base"] | null, end: number): boolean {
  if (!base) return false;
  const { event_seq, checksum, timestamp } = base;
  const isWithin = Number.isSafeInteger(event_seq) && event_seq >= 1 && event_seq <= end;
  return isWithin && typeof checksum === "string" && isTimeText(timestamp);
}
