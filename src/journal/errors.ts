import { CodedError, refusalsOf } from "../base/coded-error.ts";

/**
 * Why the journal could not be opened or written. The code is for programs, the message for the person who has to act.
 */
export type JournalErrorCode =
  | "no-sqlite"
  | "missing"
  | "newer"
  | "foreign"
  | "locked"
  | "damaged"
  | "not-writable"
  | "full"
  | "failed"
  | "bad-input";

/**
 * Every failure of the journal. What had been written before it stays written.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { JournalError, openJournal } from "openclaw-integrity/journal";
 *
 * try {
 *   openJournal("/no/such/folder/journal.sqlite", { readOnly: true });
 *   assert.fail("it is not there");
 * } catch (error) {
 *   assert.ok(error instanceof JournalError);
 *   assert.equal(error.code, "missing");
 *   assert.match(error.message, /^expected a journal at .*; found no file\. Correct the path/);
 * }
 * ```
 */
export class JournalError extends CodedError<JournalErrorCode> {
  override readonly name = "JournalError";
}

/** Builds the three-part message all failures share. */
export const journalError = refusalsOf(JournalError);

interface Meaning {
  readonly code: JournalErrorCode;
  readonly todo: string;
}

const LOCKED: Meaning = {
  code: "locked",
  todo: "Another process holds the database; end it, or wait until it is done.",
};
const DAMAGED: Meaning = { code: "damaged", todo: "Set the file aside; a new one is begun." };
const FULL: Meaning = { code: "full", todo: "Make room on the disk." };
const NOT_WRITABLE: Meaning = {
  code: "not-writable",
  todo: "Give the user that runs OpenClaw the right to write to the file and its folder.",
};
const BAD_INPUT: Meaning = { code: "bad-input", todo: "Hand over values as their types say; nothing was written." };

/** What SQLite's primary result codes mean here (https://sqlite.org/rescode.html). */
const BY_RESULT: Readonly<Record<number, Meaning>> = {
  3: { code: "not-writable", todo: "Give the user that runs OpenClaw the right to write there." },
  5: LOCKED,
  6: LOCKED,
  8: NOT_WRITABLE,
  10: { code: "failed", todo: "Look into the disk: it failed to read or write." },
  11: DAMAGED,
  13: FULL,
  14: NOT_WRITABLE,
  15: LOCKED,
  19: BAD_INPUT,
  20: BAD_INPUT,
  26: DAMAGED,
};

/**
 * Those whose primary code tells something else: what SQLITE_IOERR_SHMSIZE could not make larger is the memory that
 * processes share.
 */
const BY_EXTENDED_RESULT: Readonly<Record<number, Meaning>> = { 4874: FULL };

/** The failure of an SQLite call on `file` as a {@link JournalError}; one that is already is returned as it is. */
export function asJournalError(
  error: unknown,
  file: string,
  expected = "a journal that can be read and written",
): JournalError {
  if (error instanceof JournalError) return error;
  const { errcode, message } = error as { errcode?: unknown; message?: unknown };
  const known = typeof errcode === "number" ? (BY_EXTENDED_RESULT[errcode] ?? BY_RESULT[errcode & 0xff]) : undefined;
  const { code, todo } = known ?? bySystemCode((error as NodeJS.ErrnoException).code ?? "");
  return journalError(code, { expected, found: `${file}: ${String(message ?? error)}`, todo, cause: error });
}

/** The file system's own refusals come before SQLite is asked, and Node's own refusals of values. */
function bySystemCode(code: string): Meaning {
  if (code === "ENOSPC" || code === "EDQUOT") return FULL;
  if (code.startsWith("ERR_INVALID_ARG")) return BAD_INPUT;
  return /^E(?!RR_)/.test(code) ? NOT_WRITABLE : { code: "failed", todo: "Please report it." };
}
