/**
 * The continuity kernel: explicit work state (goals, tasks, checkpoints) in an append-only ledger, deterministic
 * resumption, leases with fencing, and steps that are completed at most once. Documented in docs/continuity.md.
 * Independent of OpenClaw.
 */
export { activeWork, type ActiveWorkState } from "./work/active-work.ts";
export { type Author, authorBy, authorText, type EntryPoint, strangerTo } from "./base/author.ts";
export { briefing, type BriefingOptions, isRested, isStale, workNotice } from "./work/briefing.ts";
export type { CallsOf, CallsSince, JournalledCall } from "./work/calls-since.ts";
export type { ProjectLine } from "./backup/format.ts";
export type { Restoration, RestoredProject, RestoreOptions } from "./backup/restore.ts";
export type { BackupOptions, BackupSummary } from "./backup/write.ts";
export { stateChecksum } from "./ledger/checksum.ts";
export { Continuity, type ContinuityOptions } from "./continuity.ts";
export { applyDelta, computeDelta, type Delta } from "./ledger/delta.ts";
export type { EventType } from "./decide/decision.ts";
export type { FinishedWork } from "./decide/finished.ts";
export type { ClaimOptions, Environment } from "./ledger/environment.ts";
export { ContinuityError, type ContinuityErrorCode } from "./base/errors.ts";
export type { EventPayload, LedgerEvent } from "./ledger/events.ts";
export type { EngineSteps, RecordedResult, StepView } from "./steps/engine-steps.ts";
export type { Execution, StepOutcome } from "./steps/executor.ts";
export type { Input, ObjectSchema, OperationName } from "./steps/input-types.ts";
export { INPUTS } from "./steps/inputs.ts";
export type { Json } from "./base/json.ts";
export type { Lease, LeaseOptions, StepGuard } from "./steps/lease.ts";
export { type KeptProject, LeaseKeeper, type LeaseKeeperOptions } from "./steps/lease-keeper.ts";
export {
  type MemoryItem,
  type MemoryReader,
  type MemoryWriter,
  type StableLearning,
  writeLearning,
} from "./stores/external-memory.ts";
export { recall, type Recalled } from "./work/recall.ts";
export { isGone, processOwner } from "./steps/process-owner.ts";
export { type Outcome, OUTCOMES } from "./decide/resolving.ts";
export type { Resolution } from "./steps/resolution.ts";
export { type MetricName, Metrics, type MetricSink, type MetricValues } from "./ledger/metrics.ts";
export {
  type Blocker,
  nextStep,
  type NextStep,
  type ProposalRequest,
  startable,
  type StepAuthors,
  type Viewer,
} from "./work/next-step.ts";
export type { LostProject } from "./lost-projects.ts";
export type { Project } from "./project.ts";
export { type S3Options, type S3Storage, s3Storage } from "./stores/s3.ts";
export type { SnapshotPolicy } from "./ledger/snapshots.ts";
export { openPostgresStore, type PostgresOptions } from "./sql/postgres.ts";
export { openSqliteStore, type SqliteOptions } from "./sql/sqlite.ts";
export type {
  Checkpoint,
  Claim,
  ClaimEnd,
  Goal,
  GoalStatus,
  Holder,
  LeaseState,
  OpenStep,
  StepType,
  Task,
  TaskStatus,
  UnknownSince,
  WorkState,
} from "./base/state.ts";
export type { Effect } from "./steps/effect.ts";
export type { StepRequest } from "./steps/request.ts";
export type { Retries, RunRequest } from "./steps/run-request.ts";
export type { Attempt, StepStart } from "./steps/attempt.ts";
export type { Steps } from "./steps/steps.ts";
export type {
  Commit,
  CommitOutcome,
  CompletedStepRow,
  ContinuityStore,
  EventRow,
  Heartbeat,
  LeaseRow,
  ObjectStorage,
  ProjectRows,
  ResultRow,
  SnapshotRow,
  StepAttemptRow,
  WorkflowRow,
} from "./ledger/store.ts";
export type { Anchor, AnchorEntry } from "./ledger/anchor.ts";
export { TRANSITIONS } from "./decide/transitions.ts";
export type { Damage, Verification, VerifyOptions } from "./verify.ts";
