/** Why the journal could not be opened or written. The code is for programs, the message for the person who has to act. */
export type JournalErrorCode = "no-sqlite" | "missing" | "newer" | "foreign" | "locked" | "damaged" | "not-writable" | "full" | "failed" | "bad-input";

/** Every failure of the journal. What had been written before it stays written. */
export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly code: JournalErrorCode;

  constructor(code: JournalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Builds the three-part message all failures share. */
export function journalError(
  code: JournalErrorCode,
  parts: { readonly expected: string; readonly found: string; readonly todo: string; readonly cause?: unknown },
): JournalError {
  const message = `expected ${parts.expected}; found ${parts.found}. ${parts.todo}`;
  return new JournalError(code, message, parts.cause === undefined ? undefined : { cause: parts.cause });
}

/** What SQLite's primary result codes mean here (https://sqlite.org/rescode.html). */
const BY_RESULT: Readonly<Record<number, { code: JournalErrorCode; todo: string }>> = {
  3: { code: "not-writable", todo: "Give the user that runs OpenClaw the right to write there." },
  5: { code: "locked", todo: "Another process holds the database; end it, or wait until it is done." },
  6: { code: "locked", todo: "Another process holds the database; end it, or wait until it is done." },
  8: { code: "not-writable", todo: "Give the user that runs OpenClaw the right to write to the file and its folder." },
  10: { code: "failed", todo: "Look into the disk: it failed to read or write." },
  11: { code: "damaged", todo: "Set the file aside; a new one is begun." },
  13: { code: "full", todo: "Make room on the disk." },
  14: { code: "not-writable", todo: "Give the user that runs OpenClaw the right to write to the file and its folder." },
  15: { code: "locked", todo: "Another process holds the database; end it, or wait until it is done." },
  19: { code: "bad-input", todo: "Hand over values as their types say; nothing was written." },
  20: { code: "bad-input", todo: "Hand over values as their types say; nothing was written." },
  26: { code: "damaged", todo: "Set the file aside; a new one is begun." },
};

/** Those whose primary code tells something else: what SQLITE_IOERR_SHMSIZE could not make larger is the memory that processes share. */
const BY_EXTENDED_RESULT: Readonly<Record<number, { code: JournalErrorCode; todo: string }>> = { 4874: BY_RESULT[13]! };

/** The failure of an SQLite call on `file` as a {@link JournalError}; one that is already is returned as it is. */
export function asJournalError(error: unknown, file: string, expected = "a journal that can be read and written"): JournalError {
  if (error instanceof JournalError) return error;
  const { errcode, message } = error as { errcode?: unknown; message?: unknown };
  const known = typeof errcode === "number" ? (BY_EXTENDED_RESULT[errcode] ?? BY_RESULT[errcode & 0xff]) : undefined;
  const { code, todo } = known ?? bySystemCode((error as NodeJS.ErrnoException).code ?? "");
  return journalError(code, { expected, found: `${file}: ${String(message ?? error)}`, todo, cause: error });
}

/** The file system's own refusals come before SQLite is asked, and Node's own refusals of values. */
function bySystemCode(code: string): { code: JournalErrorCode; todo: string } {
  if (code === "ENOSPC" || code === "EDQUOT") return BY_RESULT[13]!;
  if (code.startsWith("ERR_INVALID_ARG")) return BY_RESULT[19]!;
  return /^E(?!RR_)/.test(code) ? BY_RESULT[14]! : { code: "failed", todo: "Please report it." };
}
