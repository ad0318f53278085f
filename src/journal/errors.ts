import { fileTrouble, openingTrouble } from "../base/file-trouble.ts";
import { CodedError, databaseAt, makeErrorBuilder } from "../base/coded-error.ts";

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
  | "closed"
  | "bad-input";

/**
 * Thrown for every failure of the journal. Earlier writes stay written.
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

/** Builds an error with the three-part message (expected, found, todo) that all failures share. */
export const journalError = makeErrorBuilder(JournalError);

interface Meaning {
  readonly code: JournalErrorCode;
  readonly todo: string;
}

const LOCKED: Meaning = {
  code: "locked",
  todo: "Another process holds the database. End that process, or wait until it is done.",
};
const DAMAGED: Meaning = { code: "damaged", todo: "Set the file aside; a new one is created." };
const FULL: Meaning = { code: "full", todo: "Make room on the disk." };
const NOT_WRITABLE: Meaning = {
  code: "not-writable",
  todo: "Give the user that runs this process the right to write to the file and its folder.",
};
const BAD_INPUT: Meaning = { code: "bad-input", todo: "Pass values of the declared types. Nothing was written." };

/** Meanings of SQLite's primary result codes (https://sqlite.org/rescode.html). */
const BY_RESULT: Readonly<Record<number, Meaning>> = {
  3: { code: "not-writable", todo: "Give the user that runs this process the right to write there." },
  5: LOCKED,
  6: LOCKED,
  8: NOT_WRITABLE,
  10: { code: "failed", todo: "Check the disk: a read or a write failed." },
  11: DAMAGED,
  13: FULL,
  14: NOT_WRITABLE,
  15: LOCKED,
  19: BAD_INPUT,
  20: BAD_INPUT,
  26: DAMAGED,
};

/**
 * Result codes whose primary code would mislead: SQLITE_IOERR_SHMSIZE (4874) means that the shared-memory file could
 * not be enlarged, so the disk is full.
 */
const BY_EXTENDED_RESULT: Readonly<Record<number, Meaning>> = { 4874: FULL };

/** Converts the error of an SQLite call on `file` to a {@link JournalError}; returns a JournalError unchanged. */
export function asJournalError(
  error: unknown,
  file: string,
  expected = "a journal that can be read and written",
): JournalError {
  if (error instanceof JournalError) return error;
  const { errcode, message } = error as { errcode?: unknown; message?: unknown };
  const known = typeof errcode === "number" ? (BY_EXTENDED_RESULT[errcode] ?? BY_RESULT[errcode & 0xff]) : undefined;
  const trouble = fileTrouble(error) ?? openingTrouble(error, file, { isToBeMade: true });
  const { code, todo } = known ?? bySystemCode((error as NodeJS.ErrnoException).code ?? "");
  return journalError(code, {
    expected,
    found: `${databaseAt(file)}: ${trouble?.found ?? String(message ?? error)}`,
    todo: trouble?.todo ?? todo,
    cause: error,
  });
}

/** Meanings of errors that come from the file system before SQLite is called, and of Node's checks of arguments. */
function bySystemCode(code: string): Meaning {
  if (code === "ENOSPC" || code === "EDQUOT") return FULL;
  if (code.startsWith("ERR_INVALID_ARG")) return BAD_INPUT;
  return /^E(?!RR_)/.test(code) ? NOT_WRITABLE : { code: "failed", todo: "Please report it." };
}
