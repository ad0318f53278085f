/**
 * OpenClaw's own session stores, JSONL and SQLite: what most rooms above import. All else is imported from its file.
 */
export { StoreError } from "./errors.ts";
export type { StoreErrorCode } from "./errors.ts";
export { assertState, stateDirectory } from "./state-directory.ts";
export { findGateways, type RunningGateway } from "./openclaw/gateways.ts";
export { findTranscript } from "./archives/archive-file.ts";
export { openCatalog } from "./catalog/catalog.ts";
export { refusedDatabases } from "./catalog/refused-databases.ts";
export { findSummary, findSummaryOrFile } from "./catalog/find.ts";
export { isEarlier } from "./catalog/summary.ts";
export type { Catalog, SessionSummary, StoredRows } from "./catalog/summary.ts";
export { callsIn, countByTool } from "./checkpoints/calls-behind.ts";
export type { CallBehind, CallOutcome } from "./checkpoints/calls-behind.ts";
export { describeCheckpoint } from "./checkpoints/checkpoint-report.ts";
export type { CheckpointReport, MessageBehind } from "./checkpoints/checkpoint-report.ts";
export { compareWithCheckpoint } from "./checkpoints/checkpoint-state.ts";
export type { CheckpointState } from "./checkpoints/checkpoint-state.ts";
export { getCheckpoint, writeNote, recordLeft, rollBackSession, rollBackTo } from "./checkpoints/rollback.ts";
export type { RollbackOptions, RolledBack } from "./checkpoints/rollback.ts";
export { restoreFile } from "./restore/restore-file.ts";
export type { RestoredFile, RestoreFileOptions } from "./restore/restore-file.ts";
export { restoreRows } from "./restore/restore-rows.ts";
export type { RestoredRows, RestoreRowsOptions } from "./restore/restore-rows.ts";
export { assertInUse } from "./sessions/file-session.ts";
export type { SessionCoordinates } from "./sessions/session-coordinates.ts";
export { findSession, keepsRows, openSessionStore } from "./sessions/session-store.ts";
export type {
  EntryReference,
  FoundSession,
  MoveOptions,
  SessionStore,
  StoredSession,
} from "./sessions/stored-session.ts";
