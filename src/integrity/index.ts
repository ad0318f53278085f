/** SessionIntegrity: atomic tool cycles, checkpoints, rollback and repair for stored conversations. */
export {
  Journal,
  JournalError,
  openJournal,
  openSoundJournal,
  setAside,
  type SoundJournalOptions,
} from "../journal/index.ts";
export type { Checkpoint, JournalErrorCode, JournalIncident, JournalOptions, Operation } from "../journal/index.ts";
export { StoreError, type StoreErrorCode } from "../store/errors.ts";
export type { CheckpointStore, RollbackOptions } from "./repair/checkpoint-store.ts";
export { DEFAULT_CONFIG, type Layer0Config } from "./base/config.ts";
export { cycleMessages, type CycleTarget } from "./messages/cycle-messages.ts";
export { IntegrityError, type IntegrityErrorCode } from "./base/errors.ts";
export type { IntegrityEvent } from "./base/events.ts";
export { createSessionIntegrity, type SessionIntegrity, type SessionIntegrityOptions } from "./integrity.ts";
export type { RepairSessionOptions } from "./repair/repair.ts";
export type {
  ErrorRecovery,
  AnsweredCall,
  BlockedCall,
  FailedCall,
  GuardedCall,
  RecoveredCycle,
  RecoverResult,
  RepairAction,
  RepairResult,
  ResetOptions,
  ResetResult,
  RollbackResult,
  ToolCycleResult,
  ValidationResult,
} from "./messages/results.ts";
export type { LeafTarget, Session, SessionPath } from "./base/session.ts";
export { JsonlSession, type JsonlSessionOptions, type NewJsonlSessionOptions } from "./sessions/jsonl.ts";
export { MemorySession, MemoryStore, type MemorySessionOptions } from "./sessions/memory-session.ts";
export { OpenClawSession, type OpenClawSessionOptions } from "./sessions/openclaw.ts";
export type { ToolCall, ToolCycleOptions, ToolExecutor, ToolOutput, ToolReturn } from "./tools/tool-executor.ts";
export type {
  AssistantMessage,
  ChatAnswer,
  ChatToolCall,
  CycleCall,
  GeminiContent,
  GivenCall,
  Message,
  MessageFormat,
  ResponsesAnswer,
  TextContent,
  ToolCallContent,
  ToolResultContent,
  ToolUseContent,
} from "./base/types.ts";
export type { ValidateOptions } from "./messages/validate.ts";
export type { ApiCall, GuardOptions, WireGate } from "./wire-gate.ts";
export type { WireApi } from "../wire/index.ts";
export { openJournalOrMemory, type JournalOrMemoryOptions } from "./base/journal-failure.ts";
