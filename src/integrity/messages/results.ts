import type { Checkpoint } from "../../journal/checkpoints.ts";
import type { Repair } from "../../transcript/repair.ts";
import type { Violation } from "../../transcript/violations.ts";
import type { ToolResultContent } from "../base/types.ts";

/** Whether a history can be sent, and if not, why. */
export interface ValidationResult {
  valid: boolean;
  /** In one sentence, what is wrong first. */
  error?: string;
  /** Ids of results without their call. */
  orphanedIds?: string[];
  /** Ids of calls without their result. */
  incompleteIds?: string[];
  /** Ids that more than one call has. */
  duplicateIds?: string[];
  /** All that is wrong, in the order of the messages. */
  violations?: Violation[];
}

/** What became of a tool cycle. */
export interface ToolCycleResult {
  success: boolean;
  /** The result of the first call. There also when it could not be stored in the session. */
  result?: ToolResultContent;
  /** One for each call of the assistant's message, in their order. */
  results?: ToolResultContent[];
  error?: string;
  /** The session is as it was before the cycle. False when a tool has run: what it did cannot be taken back. */
  rolledBack?: boolean;
  /** The tool was stopped by a provider's content filter. */
  contentFilter?: boolean;
  /** What is not as it should be though the cycle succeeded: the journal could not be written, say. */
  warnings?: string[];
}

/** What was done about an error. */
export interface ErrorRecovery {
  action: "rolled_back" | "repaired" | "reset" | "escalate";
  /** For the user. */
  message: string;
  /** The checkpoint that the session was taken back to. */
  checkpoint?: string;
  details?: Record<string, unknown>;
}

/** One thing that was repaired. `completed_cycle`: the journal knew the true outcome of the call. */
export interface RepairAction extends Omit<Repair, "action" | "kind"> {
  action: Repair["action"] | "completed_cycle";
  kind: Repair["kind"] | "interrupted_cycle";
  /** The id of the call, as the specification names it; the same as `id`. */
  toolUseId: string;
}

/** The outcome of a repair. */
export interface RepairResult {
  repaired: boolean;
  repairs: RepairAction[];
  messages: readonly unknown[];
}

/** The outcome of a rollback. */
export interface RollbackResult {
  success: boolean;
  /** Messages that are no longer on the active path. They stay stored. */
  messagesRemoved: number;
  newMessageCount: number;
}

/** How a session is reset. */
export interface ResetOptions {
  /** Keep a copy first; true by default. */
  archive?: boolean;
  /** Carry the end of the conversation over as one text; true by default. */
  tail?: boolean;
}

/** The outcome of a reset. */
export interface ResetResult {
  success: boolean;
  archived: boolean;
  /** Where the copy is. */
  archive?: string;
  remainingMessages: number;
}

/** What became of one tool call that was cut off by a crash. */
export interface RecoveredCycle {
  callId: string;
  toolName: string;
  /** `result`: it had finished. `unknown`: it had begun and may have run. `not_started`: nothing of it ran. */
  outcome: "result" | "unknown" | "not_started";
  /** The history was changed for it; false when everything stood in it already, or nothing has to. */
  stored: boolean;
}

/** What was found in the journal after a crash. */
export interface RecoverResult {
  recovered: RecoveredCycle[];
}

/** The outcome of an API call that went through SessionIntegrity. */
export interface GuardedCall<T> {
  /** `blocked`: the call was not made, since the history cannot be sent. */
  outcome: "answered" | "blocked" | "failed";
  response?: T;
  error?: string;
  /** Why it was blocked. */
  validation?: ValidationResult;
  /** Where a call was blocked: repairs the session; make the call again afterwards. */
  repair?: () => Promise<RepairResult>;
  /**
   * What the user is to be told beside the answer: that a part of the history went out in another form, or was left
   * out.
   */
  notes?: string[];
  /** What is not as it should be though the call was made: the journal could not be used, say. */
  warnings?: string[];
  /** What was repaired before the call. */
  repaired?: RepairResult;
  /** What was done about the call's failure; its message is for the user. */
  recovery?: ErrorRecovery;
}

export type { Checkpoint };
