import type { KnownOutcome } from "./interrupted.ts";

/** The beginning of the id of a recorded call whose framework has told its tool none. */
export const NO_ID = "none:";

/** The beginning of a history, without instructions. */
export interface Beginning {
  readonly items: number;
  /** Names these items: equal for equal ones. */
  readonly digest: string;
}

/** Whether both are the same items. */
export function isSameBeginning(one: Beginning, other: Beginning | undefined): boolean {
  return one.items === other?.items && one.digest === other.digest;
}

/** The history of a request to a model. */
export interface SentHistory extends Beginning {
  /** The names of those of the request's tools whose calls are all recorded. */
  readonly tools: readonly string[];
  /** The digests of the histories that it goes on from, of those that have an open call behind them. */
  readonly continues?: readonly string[];
}

/** A recorded call whose result is not known to be in the conversation for good. */
export interface RecordedCall extends KnownOutcome {
  /** The number of its record. */
  readonly cycle: number;
  readonly input: unknown;
  /** The result was in a request that this process has made. */
  readonly isSeen?: boolean;
  /** The request to whose answer the call belongs; undefined where none was recorded before. */
  readonly behind?: Beginning;
  /** Where it was told, as it was missing there. */
  readonly told?: readonly Beginning[];
}

/** What is recorded of one conversation, by whatever keeps it. */
export interface CallRecords {
  /** Returns the calls whose results are not known to be in the conversation for good, oldest first. */
  open(): readonly RecordedCall[];
  /** Whether a call with this id was ever begun, or may have been, as far back as the records go. */
  hasBegun(callId: string): boolean;
  /** Whether all calls of the tool of this name are recorded. */
  isCovered(toolName: string): boolean;
  /** Says where in the conversation a call was told. `isPlaceless`: the call has no place of its own there. */
  toldBehind(cycle: number, behind: Beginning, isPlaceless: boolean): void;
  /** Closes calls whose results are in the conversation for good. */
  settle(cycles: readonly number[]): void;
  /** Says that the results of these calls were in a request that was answered. */
  seen(cycles: readonly number[]): void;
  /** Records that a model is asked. */
  asked(history: SentHistory): void;
  /** Returns the latest requests to a model, oldest first. */
  requests(): readonly SentHistory[];
}
