/**
 * The continuity kernel: explicit work state (goals, tasks, checkpoints) in an append-only ledger, deterministic
 * resumption, leases with fencing, and steps that are completed at most once. All of seeds/ai-continuity-layer.md;
 * docs/continuity.md is its documentation. Knows nothing of OpenClaw.
 */
export { activeWork, type ActiveWorkState } from "./active-work.ts";
export { type Author, authorBy, authorText, type EntryPoint, strangerTo } from "./author.ts";
export { briefing, type BriefingOptions, isRested, isStale, workNotice } from "./briefing.ts";
export { stateChecksum } from "./checksum.ts";
export { Continuity, type ContinuityOptions } from "./continuity.ts";
export { applyDelta, computeDelta, type Delta } from "./delta.ts";
export type { EventType } from "./decide/decision.ts";
export type { Environment } from "./environment.ts";
export { ContinuityError, type ContinuityErrorCode } from "./errors.ts";
export type { EventPayload, LedgerEvent } from "./events.ts";
export type { Execution, StepExecutor } from "./executor.ts";
export { type Input, INPUTS, type OperationName } from "./inputs.ts";
export type { Json } from "./json.ts";
export type { Lease, LeaseOptions } from "./lease.ts";
export { type MemoryItem, type MemoryReader, type MemoryWriter, type StableLearning, writeLearning } from "./memory.ts";
export { type MetricName, Metrics, type MetricSink, type MetricValues } from "./metrics.ts";
export { type Blocker, nextStep, type NextStep, type ProposalRequest, type StepAuthors } from "./next-step.ts";
export type { Project } from "./project.ts";
export { type S3Options, type S3Storage, s3Storage } from "./s3.ts";
export type { SnapshotPolicy } from "./snapshots.ts";
export { openPostgresStore, type PostgresOptions } from "./sql/postgres.ts";
export { openSqliteStore, type SqliteOptions } from "./sql/sqlite.ts";
export type {
  Checkpoint,
  Goal,
  GoalStatus,
  LeaseState,
  OpenStep,
  StepType,
  Task,
  TaskStatus,
  WorkState,
} from "./state.ts";
export type { StepRequest, Steps, StepStart } from "./steps.ts";
export type {
  CompletedStepRow,
  ContinuityStore,
  EventRow,
  LeaseRow,
  ObjectStorage,
  SnapshotRow,
  StepAttemptRow,
  WorkflowRow,
} from "./store.ts";
export { TRANSITIONS } from "./transitions.ts";
export type { Damage, Verification } from "./verify.ts";
