import type { Checkpoint } from "../../journal/checkpoints.ts";
import type { Repair } from "../../transcript/repair.ts";
import type { Violation } from "../../transcript/violations.ts";
import type { ToolResultContent } from "../base/types.ts";

/** Whether a history can be sent, and if not, why. */
export interface ValidationResult {
  valid: boolean;
  /** The first violation, in one sentence. */
  error?: string;
  /** Ids of results without a call. */
  orphanedIds?: string[];
  /** Ids of calls without a result. */
  incompleteIds?: string[];
  /** Ids that more than one call has. */
  duplicateIds?: string[];
  /** All violations, in the order of the messages. */
  violations?: Violation[];
}

/** The outcome of a tool cycle. */
export interface ToolCycleResult {
  success: boolean;
  /** The result of the first call; set even when it could not be stored in the session. */
  result?: ToolResultContent;
  /** The results of all calls of the assistant message, in their order. */
  results?: ToolResultContent[];
  error?: string;
  /** The session is as it was before the cycle. False when a tool has run, whose effects cannot be undone. */
  rolledBack?: boolean;
  /** A provider's content filter stopped the tool. */
  contentFilter?: boolean;
  /** Problems despite which the cycle succeeded, such as a failed write to the journal. */
  warnings?: string[];
}

/** How an error was handled. */
export interface ErrorRecovery {
  action: "rolled_back" | "repaired" | "escalate";
  /** The message for the user. */
  message: string;
  /** The checkpoint to which the session was rolled back. */
  checkpoint?: string;
  details?: Record<string, unknown>;
}

/** One repair. `completed_cycle`: the journal knew the true outcome of the call. */
export interface RepairAction extends Omit<Repair, "action" | "kind"> {
  action: Repair["action"] | "completed_cycle";
  kind: Repair["kind"] | "interrupted_cycle";
  /** The id of the call; the same as `id`. */
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
  /** Whether to archive the session first; true by default. */
  archive?: boolean;
  /** Whether to carry over the last words of the conversation as one text; true by default. */
  tail?: boolean;
}

/** The outcome of a reset. */
export interface ResetResult {
  success: boolean;
  archived: boolean;
  /** Path or id of the archive. */
  archive?: string;
  remainingMessages: number;
}

/** The outcome of one tool call that a crash interrupted. */
export interface RecoveredCycle {
  callId: string;
  toolName: string;
  /** `result`: the call had finished. `unknown`: it had started and may have run. `not_started`: it did not run. */
  outcome: "result" | "unknown" | "not_started";
  /** Whether the history was changed for it; false when the history was complete, or no trace is needed. */
  stored: boolean;
}

/** The interrupted calls that the journal had after a crash. */
export interface RecoverResult {
  recovered: RecoveredCycle[];
}

/** The outcome of an API call through SessionIntegrity; only an answered call has a response. */
export type GuardedCall<T> = AnsweredCall<T> | BlockedCall | FailedCall;

/** What every guarded call tells. */
interface AnyCall {
  /** Problems despite which the call was made, such as an unusable journal. */
  warnings?: string[];
  /** The repair that was made before the call. */
  repaired?: RepairResult;
  /** Set for a call that was not answered. */
  error?: string;
  /** Why the call was blocked. */
  validation?: ValidationResult;
  /** Repairs the session; only for a blocked call, which is to be made again afterwards. */
  repair?: () => Promise<RepairResult>;
  /** How the call's failure was handled; its message is for the user. */
  recovery?: ErrorRecovery;
}

/** The provider has answered. */
export interface AnsweredCall<T> extends AnyCall {
  outcome: "answered";
  response: T;
  /** Notes for the user beside the answer: a part of the history was sent in another form, or left out. */
  notes?: string[];
  /**
   * Set when the history was left out, because the API refuses it, and when an earlier search can go on: see
   * {@link RefusedPartSearch}.
   */
  search?: RefusedPartSearch;
}

/**
 * Searches for the part of a history that an API refuses, with at most eight requests, which `probe` makes: each holds
 * a part of the history, all together at most twice the history, and one token of an answer is enough. A refusal is
 * what `probe` rejects with. What is found is left out of later calls of the session with the same `api` and `model`,
 * or sent as text; the rest is sent as before, and nothing stored is changed. Not to be called beside another call of
 * the session. Rejects never for what `probe` rejects with.
 */
export type RefusedPartSearch = (
  probe: (messages: never[], gate: { heal<T>(body: T): T }) => Promise<unknown>,
) => Promise<{
  /**
   * `part`: the refused part was found; `half`: two places are refused together, and one of them is left out;
   * `nothing`: none was found, or not yet; `no_half`: no half is taken.
   */
  found: "part" | "half" | "nothing" | "no_half";
  /** How many requests were made. */
  requests: number;
}>;

/** The call was not made, because the history cannot be sent. */
export interface BlockedCall extends AnyCall {
  outcome: "blocked";
  response?: undefined;
  error: string;
  validation: ValidationResult;
  repair: () => Promise<RepairResult>;
  notes?: undefined;
  search?: undefined;
}

/** The call was made and failed. */
export interface FailedCall extends AnyCall {
  outcome: "failed";
  response?: undefined;
  error: string;
  recovery: ErrorRecovery;
  notes?: undefined;
  search?: undefined;
}

export type { Checkpoint };
