import type {
  CompletedStepRow,
  EventRow,
  LeaseRow,
  ResultRow,
  SnapshotRow,
  StepAttemptRow,
  WorkflowRow,
} from "../../ledger/store.ts";

/** The tables of both databases; both return columns with these types. */
export interface ContinuityTables {
  readonly workflows: WorkflowRow;
  readonly events: EventRow;
  readonly workflow_leases: LeaseRow;
  readonly step_attempts: StepAttemptRow;
  readonly completed_steps: CompletedStepRow;
  readonly snapshots: SnapshotRow;
  readonly step_results: ResultRow;
  readonly schema_versions: { readonly version: number };
}
