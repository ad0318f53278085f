import { CodedError, refusalsOf } from "../../base/coded-error.ts";
import { writeJson } from "../../transcript/json/write-json.ts";

/** Why something was refused. The code is for programs, the message for the person who has to act. */
export type IntegrityErrorCode =
  /** The session is no longer what it was when the checkpoint was made. */
  | "checkpoint-mismatch"
  /** No such checkpoint, or its messages are no longer stored. */
  | "checkpoint-missing"
  /** The checkpoint is of another session. */
  | "checkpoint-foreign"
  /** What was given to `executeToolCycle` is no tool call. */
  | "bad-call"
  /** A call with the same id is being carried out, and is another one. */
  | "call-running"
  /** What was given to `executeToolCycle` cannot run tools. */
  | "bad-executor"
  /** The API named to `guardCall` is not known. */
  | "bad-api"
  | "bad-config"
  /** The session could not be changed. */
  | "session-failed";

/**
 * Every refusal of this room. When one is thrown, the session is as it was before.
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

/** Builds the three-part message all refusals share. */
export const integrityError = refusalsOf(IntegrityError);

/** As much of an error's words as is told. */
const MOST_WORDS = 4000;

/** What went wrong, in the words of whatever was thrown. Never throws, and ends for every value. */
export function reasonOf(error: unknown): string {
  const words = wordsOf(error).toWellFormed();
  return words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words;
}

function wordsOf(error: unknown): string {
  if (error === undefined || error === null || error === "") return "no reason was given";
  if (typeof error !== "object") return String(error);
  try {
    const { message } = error as { message?: unknown };
    if (typeof message === "string" && message !== "") return message;
  } catch {
    // Then what else it says.
  }
  const { text } = writeJson(error, MOST_WORDS);
  return text === "{}" || text === "null" ? "an error without words" : text;
}
