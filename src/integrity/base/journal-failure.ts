import { consoleLine } from "../../base/console-line.ts";
import { JournalError, type JournalErrorCode } from "../../journal/errors.ts";
import { openJournal, type Journal, type JournalOptions } from "../../journal/journal.ts";

/** What may befall a journal without anybody's mistake: work goes on without one. */
const MISFORTUNES: ReadonlySet<JournalErrorCode> = new Set(["locked", "not-writable", "full", "damaged"]);

/**
 * Whether the journal cannot be used for a reason that lies outside of the program: its file, its disk, or another
 * process.
 */
export function isMisfortune(error: unknown): error is JournalError {
  if (!(error instanceof JournalError)) return false;
  const { errcode } = (error.cause ?? {}) as { errcode?: unknown };
  return MISFORTUNES.has(error.code) || (error.code === "failed" && typeof errcode === "number");
}

/** How {@link openJournalOrMemory} opens. */
export interface JournalOrMemoryOptions extends JournalOptions {
  /** Hears why the file cannot be used; a line on the console by default. */
  onFailure?: (error: JournalError) => void;
}

/**
 * Opens the journal in `file`, as `openJournal` does. Where the file is locked, read-only, damaged or its disk is full:
 * a journal in memory, so that the agent goes on; a crash of the process then leaves nothing for `recover`. Throws a
 * JournalError for any other reason (`newer`, `foreign`, `no-sqlite`).
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { openJournalOrMemory } from "openclaw-integrity/integrity";
 *
 * const folder = mkdtempSync(join(tmpdir(), "journal-"));
 * const file = join(folder, "openclaw-integrity.sqlite");
 * writeFileSync(file, "SQLite format 3\0 and then nothing that SQLite wrote", { mode: 0o600 });
 * const codes: string[] = [];
 * const journal = openJournalOrMemory(file, { onFailure: ({ code }) => codes.push(code) });
 * assert.deepEqual(codes, ["damaged"]);
 * assert.equal(journal.file, ":memory:");
 * journal.close();
 * rmSync(folder, { recursive: true });
 * ```
 */
export function openJournalOrMemory(
  file: string,
  { onFailure = tell, ...options }: JournalOrMemoryOptions = {},
): Journal {
  try {
    return openJournal(file, options);
  } catch (error) {
    if (!isMisfortune(error)) throw error;
    onFailure(error);
    const { readOnly: _readOnly, ...inMemory } = options;
    return openJournal(":memory:", inMemory);
  }
}

function tell(error: JournalError): void {
  consoleLine(`[openclaw-integrity] The journal cannot be used, and it goes on in memory: ${error.message}`);
}
