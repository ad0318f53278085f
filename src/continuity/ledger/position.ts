import { emptyState, type WorkState } from "../base/state.ts";

/** A state and its position in the ledger. */
export interface Position {
  readonly state: WorkState;
  readonly event_seq: number;
  /** Checksum of the event at that position; null before the first. */
  readonly checksum: string | null;
}

/** Returns the position before the first event. */
export function beginning({
  workflow_id,
  project_id,
}: {
  readonly workflow_id: string;
  readonly project_id: string;
}): Position {
  return { state: emptyState(workflow_id, project_id), event_seq: 0, checksum: null };
}
