import { CodedError, makeErrorBuilder } from "../base/coded-error.ts";

/**
 * Why an operation on a stored session was refused. The code is for programs, the message for the person who has to
 * act.
 */
export type StoreErrorCode =
  /** OpenClaw's state directory is not there. */
  | "state-missing"
  /** The state directory has no such agent. */
  | "agent-missing"
  /** No archive is at that path or has that id, or several have it. */
  | "archive-missing"
  /** The file is no archive of this project. */
  | "archive-foreign"
  /** The archive is not what its name or manifest says. */
  | "archive-damaged"
  /** The archive does not lie where it tells whose session it is. */
  | "archive-moved"
  /** No session or conversation has that name. */
  | "session-missing"
  /** Several sessions have that name, or a file is there already. */
  | "session-taken"
  /** The conversation goes on in a newer session. */
  | "session-left"
  /** A run is active in the session, or another process writes to it. */
  | "session-busy"
  /** The journal has no such checkpoint, or its entries are gone. */
  | "checkpoint-missing"
  /** The checkpoint is of another session. */
  | "checkpoint-foreign"
  /** The messages are no longer those of the checkpoint. */
  | "checkpoint-damaged"
  /** A session, or OpenClaw's store, cannot be read. */
  | "store-unreadable"
  /** This OpenClaw, or this Node, cannot do what was asked for. */
  | "openclaw-unfit"
  /** OpenClaw's own code has failed to do it. */
  | "openclaw-failed"
  /** A person has not agreed, or could not be asked. */
  | "declined"
  | "not-writable"
  | "unsafe-path";

/**
 * Every refusal on stored sessions. When one is thrown, the session is as it was before.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { JsonlSession, StoreError } from "openclaw-integrity/integrity";
 *
 * try {
 *   new JsonlSession("/no/such/folder/session.jsonl");
 *   assert.fail("it is not there");
 * } catch (error) {
 *   assert.ok(error instanceof StoreError);
 *   assert.equal(error.code, "session-missing");
 * }
 * ```
 */
export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = "StoreError";
}

/** Builds a StoreError with the parts expected, found and to do. */
export const storeError = makeErrorBuilder(StoreError);

export { describeError } from "../base/coded-error.ts";

/** Whether an error of the file system has this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
