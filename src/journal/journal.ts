import { statSync } from "node:fs";
import { join } from "node:path";
import { Checkpoints } from "./checkpoints.ts";
import { emptyLog } from "./empty-log.ts";
import { journalError } from "./errors.ts";
import { Incidents } from "./incidents.ts";
import { openFile, type FileOptions } from "./open-file.ts";
import { Learned } from "./learned.ts";
import { JOURNAL_SCHEMA } from "./schema.ts";
import type { Connection, NoPromise } from "./sqlite.ts";
import { ToolCycles } from "./tool-cycles.ts";
import { UnansweredMessages } from "./unanswered-messages.ts";

/** How a journal is opened. */
export interface JournalOptions extends FileOptions {
  /** The clock, for tests. */
  now?: () => number;
}

/**
 * Returns the path of the journal of an OpenClaw: one file in its state directory.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { basename } from "node:path";
 * import { journalFile } from "openclaw-integrity/journal";
 *
 * assert.equal(basename(journalFile("/home/me/.openclaw")), "openclaw-integrity.sqlite");
 * ```
 */
export function journalFile(stateDirectory: string): string {
  return join(stateDirectory, "openclaw-integrity.sqlite");
}

/**
 * Returns the path of an empty file that is there while the journal may report a call that was started as not started.
 */
export function missedFile(file: string): string {
  return `${file}.missed`;
}

/**
 * Durable facts about sessions in one SQLite file (WAL): tool cycles, checkpoints, incidents, unanswered user
 * messages, and what was learned of routes and sessions. Everything that a call wrote before it returned survives a
 * kill of the process; {@link ToolCycles.start} also survives a power cut. Several processes may have the file open.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { contentHash, inputHash, type Journal, openJournal } from "openclaw-integrity/journal";
 *
 * const journal: Journal = openJournal(":memory:");
 * const { cycles, checkpoints } = journal;
 * const place = { messageIndex: 0, contentHash: contentHash([]), firstEntryId: null, leafEntryId: null };
 * const [id] = journal.transaction(() => {
 *   const { id: checkpointId } = checkpoints.create({ sessionId: "s1", operation: "tool_cycle", ...place });
 *   const call = { sessionId: "s1", callId: "call_1", toolName: "exec", inputHash: inputHash({ command: "ls" }) };
 *   return cycles.pending([{ ...call, checkpointId }]);
 * });
 * assert.equal(cycles.get(id!)?.state, "pending");
 * journal.close();
 * ```
 */
export class Journal {
  readonly file: string;
  readonly cycles: ToolCycles;
  readonly checkpoints: Checkpoints;
  readonly incidents: Incidents;
  readonly unanswered: UnansweredMessages;
  readonly learned: Learned;
  /** The number of the file on its disk, when it was opened; undefined for `:memory:`. */
  readonly inode: number | undefined;
  readonly #connection: Connection;

  constructor(connection: Connection, now: () => number) {
    this.file = connection.file;
    this.inode = readInode(this.file);
    this.#connection = connection;
    this.cycles = new ToolCycles(connection, now);
    this.checkpoints = new Checkpoints(connection, now);
    this.incidents = new Incidents(connection, now);
    this.unanswered = new UnansweredMessages(connection, now);
    this.learned = new Learned(connection);
  }

  /**
   * Runs several writes in one transaction: all of them are written, or none. Throws a JournalError `bad-input`, with
   * nothing written, when `work` returns a promise.
   */
  transaction<T>(work: () => NoPromise<T>): NoPromise<T> {
    return this.#connection.transaction(work);
  }

  /** Runs {@link emptyLog}. When it returns true, no file of the journal holds what was deleted before. */
  emptyLog(): boolean {
    return emptyLog(this.#connection);
  }

  /**
   * Reads every page of the file. Throws a JournalError `damaged` for one that SQLite did not write so: opening the
   * file reads its first pages only. About half a second for a gigabyte.
   */
  assertSound(): void {
    const [found] = this.#connection.prepare("PRAGMA quick_check(1)").all<{ quick_check: string }>();
    if (found === undefined || found.quick_check === "ok") return;
    throw journalError("damaged", {
      expected: "a journal of sound pages",
      found: `${this.file}: ${found.quick_check}`,
      todo: "Set the file aside; a new one is created.",
    });
  }

  /**
   * Throws a JournalError `missing` where the file was deleted or replaced since it was opened: what is written goes to
   * the deleted one, and is gone with this process.
   */
  assertInPlace(): void {
    const inode = readInode(this.file);
    if (inode === this.inode) return;
    throw journalError("missing", {
      expected: `the journal ${this.file}, which this process has open`,
      found: inode === undefined ? "no file: it was deleted meanwhile" : "another file, which has taken its place",
      todo: "Open the journal again: a new file is created where there is none.",
    });
  }

  close(): void {
    this.#connection.close();
  }
}

function readInode(file: string): number | undefined {
  return file === ":memory:" ? undefined : statSync(file, { throwIfNoEntry: false })?.ino;
}

/**
 * Opens the journal in `file` (or `:memory:`), and creates it where needed; the file is readable by its owner only.
 * Throws a JournalError: `no-sqlite`, `missing` (only with `readOnly`), `newer`, `foreign`, `locked`, `damaged`,
 * `not-writable`, `full`; `bad-input` for a path that is empty or no text.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { openJournal } from "openclaw-integrity/journal";
 *
 * const folder = mkdtempSync(join(tmpdir(), "journal-"));
 * const journal = openJournal(join(folder, "openclaw-integrity.sqlite"));
 * journal.incidents.log({ sessionId: "s1", kind: "history", details: { status: 400 } });
 * journal.close();
 *
 * const reader = openJournal(join(folder, "openclaw-integrity.sqlite"), { readOnly: true });
 * assert.equal(reader.incidents.list({ sessionId: "s1" })[0]?.kind, "history");
 * reader.close();
 * rmSync(folder, { recursive: true });
 * ```
 */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  if (typeof options !== "object" || options === null) {
    throw journalError("bad-input", {
      expected: "an object with the options of openJournal, or nothing",
      found: options === null ? "null" : typeof options,
      todo: "Leave the argument out, or pass an object. No file was opened.",
    });
  }
  const { now = Date.now, ...how } = options;
  return openFile(file, JOURNAL_SCHEMA, how, (connection) => new Journal(connection, now));
}
