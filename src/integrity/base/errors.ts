import { CodedError, makeErrorBuilder } from "../../base/coded-error.ts";
import { writeJson } from "../../transcript/json/write-json.ts";

/** Why an operation was refused. The code is for programs, the message for the person who has to act. */
export type IntegrityErrorCode =
  /** The session's messages differ from those that the checkpoint was made of. */
  | "checkpoint-mismatch"
  /** No such checkpoint, or its messages are no longer stored. */
  | "checkpoint-missing"
  /** The checkpoint is of another session. */
  | "checkpoint-foreign"
  /** The argument of `executeToolCycle` is not a tool call. */
  | "bad-call"
  /** Another call with the same id is running. */
  | "call-running"
  /** The executor of `executeToolCycle` cannot run tools. */
  | "bad-executor"
  /** The API in the options of `guardCall` is not known. */
  | "bad-api"
  /** An option of `createSessionIntegrity` is not what it takes. */
  | "bad-config"
  /** Another argument or option is not what the function takes. */
  | "bad-input"
  /** The session could not be changed. */
  | "session-failed";

/**
 * Thrown for every refused operation of SessionIntegrity. The session is then as it was before.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createSessionIntegrity, IntegrityError, MemorySession, openJournal } from "openclaw-integrity/integrity";
 *
 * const journal = openJournal(":memory:");
 * const integrity = createSessionIntegrity({ journal });
 * try {
 *   await integrity.rollback(new MemorySession({ id: "example" }), "no-such-checkpoint");
 *   assert.fail("there is none");
 * } catch (error) {
 *   assert.ok(error instanceof IntegrityError);
 *   assert.equal(error.code, "checkpoint-missing");
 * }
 * journal.close();
 * ```
 */
export class IntegrityError extends CodedError<IntegrityErrorCode> {
  override readonly name = "IntegrityError";
}

/** Builds an error with the three-part message (expected, found, todo) that all refusals share. */
export const integrityError = makeErrorBuilder(IntegrityError);

/** The longest text of an error that is passed on. */
const MAX_WORDS = 4000;

/** Returns the text of any thrown value. Never throws, and ends for every value. */
export function describeThrown(error: unknown): string {
  const words = readReason(error).toWellFormed();
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}

function readReason(error: unknown): string {
  if (error === undefined || error === null || error === "") return "no reason was given";
  if (typeof error !== "object") return String(error);
  try {
    const { message } = error as { message?: unknown };
    if (typeof message === "string" && message !== "") return message;
  } catch {
    // The other fields of the error are used instead.
  }
  const { text } = writeJson(error, MAX_WORDS);
  return text === "{}" || text === "null" ? "an error without a message" : text;
}
