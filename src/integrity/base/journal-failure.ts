import { consoleLine } from "../../base/console-line.ts";
import { JournalError, type JournalErrorCode } from "../../journal/errors.ts";
import { openJournal, type Journal, type JournalOptions } from "../../journal/journal.ts";

/** Failures of a journal that are not a mistake of the program: work continues without a journal. */
const ENVIRONMENT_FAILURES: ReadonlySet<JournalErrorCode> = new Set(["locked", "not-writable", "full", "damaged"]);

/** Returns whether the journal failed because of its environment: its file, its disk, or another process. */
export function isEnvironmentFailure(error: unknown): error is JournalError {
  if (!(error instanceof JournalError)) return false;
  const { errcode } = (error.cause ?? {}) as { errcode?: unknown };
  return ENVIRONMENT_FAILURES.has(error.code) || (error.code === "failed" && typeof errcode === "number");
}

/** Options of {@link openJournalOrMemory}. */
export interface JournalOrMemoryOptions extends JournalOptions {
  /** Called with the reason why the file cannot be used; prints a line on the console by default. */
  onFailure?: (error: JournalError) => void;
}

/**
 * Opens the journal in `file` as `openJournal` does. When the file is locked, read-only or damaged, or its disk is
 * full, opens a journal in memory instead, so that the agent can continue; after a crash of the process `recover` then
 * finds nothing. Throws a JournalError for any other reason (`newer`, `foreign`, `no-sqlite`).
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
  { onFailure = printFailure, ...options }: JournalOrMemoryOptions = {},
): Journal {
  try {
    return openJournal(file, options);
  } catch (error) {
    if (!isEnvironmentFailure(error)) throw error;
    onFailure(error);
    const { readOnly: _readOnly, ...inMemory } = options;
    return openJournal(":memory:", inMemory);
  }
}

function printFailure(error: JournalError): void {
  consoleLine(`[openclaw-integrity] The journal cannot be used; a journal in memory takes its place: ${error.message}`);
}
