import { databaseAt, whyNoPath } from "../../base/coded-error.ts";
import { UnsafePathError } from "../../base/files/index.ts";
import { databaseIdentity, makeDatabaseFile, makePrivate } from "../../base/sqlite/database-file.ts";
import { fileTrouble, openingTrouble } from "../../base/file-trouble.ts";
import { isThere } from "../../base/is-there.ts";
import { existsSync, realpathSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import type { DatabaseSync } from "node:sqlite";
import { nodeSqlite, rollBack, type Sqlite } from "../../base/sqlite/node-sqlite.ts";
import { nodeSqliteDialect } from "../../base/sqlite/node-sqlite-dialect.ts";
import { AnchorFile } from "../anchor/anchor-file.ts";
import { ContinuityError, continuityError, type ContinuityErrorCode } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import type { ContinuityStore } from "../ledger/store.ts";
import { notThere } from "./not-there.ts";
import { commitStatements } from "./rows/commit-rows.ts";
import { createStatements, SQLITE_TYPES, TABLES_VERSION } from "./rows/schema.ts";
import { COLUMN_TYPES } from "./rows/sqlite-columns.ts";
import { SqlStore } from "./sql-store.ts";
import { sqliteWriter } from "./sqlite-writer.ts";
import type { ContinuityTables } from "./rows/tables.ts";

/** Options of a SQLite store. */
export interface SqliteOptions {
  /** The file, or ":memory:". A missing file is created with access for its owner only. */
  readonly file: string;
  /** Throws `not-found` instead of creating the file. */
  readonly mustExist?: boolean;
  /** Nothing is created or written, and no file is left behind; a missing file throws `not-found`. */
  readonly readOnly?: boolean | undefined;
  /** How long a write waits for another process; 5 s by default. */
  readonly busyTimeoutMs?: number;
  /**
   * Where the ends of the ledgers are noted, so that an older copy of the store is noticed: in `<file>.anchor` beside
   * the store by default, in another file, or nowhere (`false`). A store in memory has none unless a file is named.
   */
  readonly anchor?: boolean | { readonly file: string };
  /** Called when an anchor cannot be written. */
  readonly warn?: ((warning: string) => void) | undefined;
  readonly crashPoint?: (name: string) => void;
}

/** Marks the file as a continuity store of this project ("occo"). */
const APPLICATION_ID = 0x6f63636f;
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the kernel's tables in a SQLite file (WAL, synced at every commit), and creates them in a new one. Throws a
 * ContinuityError: `no-sqlite`, `newer` for a file of a later version, `foreign` for another program's file, `damaged`
 * for one that SQLite cannot read, `not-writable` when the file cannot be opened, `bad-input` for what is no path,
 * `not-found` with `mustExist` when there is none. A file that is refused is not changed.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { Continuity, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const folder = mkdtempSync(join(tmpdir(), "work-"));
 * const file = join(folder, "work.sqlite");
 * assert.throws(() => openSqliteStore({ file, mustExist: true }), { code: "not-found" });
 * const monday = new Continuity({ store: openSqliteStore({ file }) });
 * await (await monday.project("site")).createGoal({ text: "Move the site", priority: 5 });
 * await monday.close();
 *
 * const friday = new Continuity({ store: openSqliteStore({ file }) });
 * assert.equal((await (await friday.project("site")).activeWork()).goals[0]?.text, "Move the site");
 * await friday.close();
 * rmSync(folder, { recursive: true });
 * ```
 */
export function openSqliteStore({
  file,
  readOnly = false,
  mustExist = false,
  busyTimeoutMs = BUSY_TIMEOUT_MS,
  anchor = true,
  warn,
  crashPoint = () => undefined,
}: SqliteOptions): ContinuityStore {
  const noPath = whyNoPath(file);
  if (noPath !== undefined)
    throw continuityError("bad-input", {
      expected: 'the path of a continuity store, or ":memory:" for one that ends with the process',
      found: noPath,
      todo: "Pass a path. Nothing was opened.",
    });
  const sqlite = nodeSqlite();
  if (!sqlite)
    throw continuityError("no-sqlite", {
      expected: "a Node with node:sqlite (22.13 or later)",
      found: `Node ${process.version}`,
      todo: "Use a newer Node.",
    });
  const asError = (error: unknown): unknown => asContinuityError(error, file);
  const database = openSqliteDatabase(sqlite, { file, mustExist, readOnly, busyTimeoutMs });
  const db = new Kysely<ContinuityTables>({ dialect: nodeSqliteDialect(database), plugins: [COLUMN_TYPES] });
  const write = sqliteWriter(database, crashPoint);
  const words = { schema: "", isSame: "IS", leaseClock: "caller" } as const;
  return new SqlStore(
    db,
    {
      asError,
      anchor: makeAnchorFile(file, anchor, warn),
      // kysely lends its one connection to one caller at a time.
      write: (commit) => db.connection().execute(async () => write(commitStatements(commit, words))),
      leaseClock: words.leaseClock,
      columns: SQLITE_TYPES,
      faults: () => checkIntegrity(db),
      retryWhileBusy: (work) => untilFree(work, busyTimeoutMs),
      close: () => db.destroy(),
    },
    crashPoint,
  );
}

function makeAnchorFile(
  file: string,
  anchor: NonNullable<SqliteOptions["anchor"]>,
  warn: SqliteOptions["warn"],
): AnchorFile | undefined {
  if (typeof anchor === "object") return new AnchorFile({ ...anchor, warn });
  return anchor && file !== ":memory:" ? new AnchorFile({ file: anchorBeside(file), warn }) : undefined;
}

/** Returns the path of the anchor beside a SQLite store; the same by whatever link the store is reached. */
export function anchorBeside(file: string): string {
  return `${existsSync(file) ? realpathSync(file) : file}.anchor`;
}

/** Returns what SQLite itself finds wrong in the file. */
async function checkIntegrity(db: Kysely<ContinuityTables>): Promise<string[]> {
  const { rows } = await sql<{ readonly integrity_check: string }>`PRAGMA integrity_check(20)`.execute(db);
  return rows.map(({ integrity_check }) => integrity_check).filter((text) => text !== "ok");
}

/** Opens and checks the file, and creates its tables. Throws a ContinuityError; then nothing is open. */
export function openSqliteDatabase(
  sqlite: Sqlite,
  options: Required<Pick<SqliteOptions, "file" | "mustExist" | "busyTimeoutMs">> & Pick<SqliteOptions, "readOnly">,
): DatabaseSync {
  const { file, readOnly = false, mustExist, busyTimeoutMs } = options;
  const isMissed = mustExist || readOnly;
  const begin = performance.now();
  let patienceMs = busyTimeoutMs;
  for (;;) {
    let database: DatabaseSync | undefined;
    try {
      if (isMissed && !isThere(file)) throw notThere(file, "no such file");
      if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw directory(file);
      if (file !== ":memory:" && !readOnly) makeFile(file);
      // A read-only connection leaves a -wal file behind where there was none, and a writing one ends what is there.
      database = new sqlite.DatabaseSync(file, { readOnly: readOnly && isThere(`${file}-wal`) });
      // The timeout first: the following statements may already have to wait. A short one: whoever waits for the right
      // to create the tables looks again whether they are there, instead of competing with those who write to them.
      database.exec(`PRAGMA busy_timeout = ${Math.min(busyTimeoutMs, OPENING_WAIT_MS)}`);
      const isEmpty = assertOurs(database, file);
      if (isEmpty) patienceMs = Math.max(busyTimeoutMs, CREATING_MS);
      if (isMissed && isEmpty) throw notThere(file, "an empty file");
      if (readOnly) {
        database.exec("PRAGMA query_only = ON; PRAGMA busy_timeout = 0");
        return database;
      }
      const refusal = file === ":memory:" ? undefined : makePrivate(file, "continuity store");
      if (refusal) throw continuityError("not-writable", refusal);
      database.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON",
      );
      createTables(database);
      // From here on this process waits outside of SQLite: a wait inside would block the whole process, including a
      // transaction of another store in it.
      database.exec("PRAGMA busy_timeout = 0");
      return database;
    } catch (error) {
      database?.close();
      // When several processes switch a new file to WAL at once, SQLite refuses some of them without waiting.
      if (!isBusy(error) || performance.now() > begin + patienceMs) throw asContinuityError(error, file);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPENING_PAUSE_MS);
    }
  }
}

function directory(file: string): ContinuityError {
  return continuityError("not-writable", {
    expected: `a continuity store at ${file}`,
    found: "a directory",
    todo: "Move the directory away, or pass the path of a file in it. Nothing was written.",
  });
}

const OPENING_PAUSE_MS = 5;
const OPENING_WAIT_MS = 100;
/** How long opening waits for others that create the tables, however slow their disk is. */
const CREATING_MS = 15_000;
const LONGEST_PAUSE_MS = 25;

/** Retries for that time while another store, of this process or another, holds the database. */
async function untilFree<T>(work: () => Promise<T>, milliseconds: number): Promise<T> {
  const end = performance.now() + milliseconds;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
      await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 * tries));
    }
  }
}

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && BY_RESULT[errcode & 0xff]?.[0] === "busy";
}

/** Returns whether the database is empty. Throws `foreign` or `newer` for one that must not be used. */
function assertOurs(database: DatabaseSync, file: string): boolean {
  const { version, application, tables } = databaseIdentity(database);
  const isEmpty = version === 0 && application === 0 && tables === 0;
  if (application !== APPLICATION_ID && !isEmpty) {
    throw continuityError("foreign", {
      expected: "a continuity store of openclaw-integrity, or no file",
      found: `another program's database in ${file}`,
      todo: "Name another file. The file was not changed.",
    });
  }
  if (version > TABLES_VERSION) {
    throw continuityError("newer", {
      expected: `a continuity store of version ${TABLES_VERSION}`,
      found: `version ${version} in ${file}`,
      todo: "Use the newer openclaw-integrity that wrote the file. The file was not changed.",
    });
  }
  return isEmpty;
}

/** All in one transaction: a process that is killed meanwhile leaves an empty database. */
function createTables(database: DatabaseSync): void {
  const areThere = (): boolean => databaseIdentity(database).version === TABLES_VERSION;
  if (areThere()) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have created them meanwhile.
    if (!areThere()) {
      for (const statement of createStatements(SQLITE_TYPES)) database.exec(statement);
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${TABLES_VERSION}`);
    }
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function makeFile(file: string): void {
  try {
    makeDatabaseFile(file);
  } catch (error) {
    if (error instanceof UnsafePathError) throw new ContinuityError("not-writable", error.message, { cause: error });
    throw error;
  }
}

const ALTERED = "The store was changed from outside.";
/** What SQLite says when the tables are not those that this program made. */
const OTHER_TABLES = /no such|already exists|duplicate column|no column named|malformed|unsupported file format/;
/** Meanings of SQLite's primary result codes (https://sqlite.org/rescode.html). */
const BY_RESULT: Readonly<Record<number, readonly [ContinuityErrorCode, string]>> = {
  5: ["busy", "Another process holds the database; try again."],
  6: ["busy", "Another process holds the database; try again."],
  8: ["not-writable", "Give the user of this process the right to write to the file and its folder."],
  10: ["not-writable", "Check the disk: a read or a write failed."],
  11: ["damaged", "The file was damaged."],
  13: ["not-writable", "Make room on the disk."],
  14: ["not-writable", "Give the user of this process the right to open the file and its folder."],
  19: ["damaged", ALTERED],
  26: ["foreign", "Name another file. The file was not changed."],
};

function interpretCode(errcode: number, message: string): readonly [ContinuityErrorCode, string] | undefined {
  return errcode === 1 && OTHER_TABLES.test(message) ? ["damaged", ALTERED] : BY_RESULT[errcode & 0xff];
}

/** Converts an error of SQLite or the file system on `file` to a ContinuityError; returns unknown errors unchanged. */
export function asContinuityError(error: unknown, file: string): unknown {
  if (error instanceof ContinuityError) return error;
  const { errcode, code, message } = error as { errcode?: unknown; code?: unknown; message?: unknown };
  const known = typeof errcode === "number" ? interpretCode(errcode, String(message)) : undefined;
  const trouble = fileTrouble(error) ?? openingTrouble(error, file, { isToBeMade: true });
  if (trouble)
    return continuityError("not-writable", {
      expected: "a continuity store that can be opened",
      found: `${file}: ${trouble.found}`,
      todo: trouble.todo,
      cause: error,
    });
  if (known)
    return continuityError(known[0], {
      expected: "a continuity store that can be read and written",
      found: `${databaseAt(file)}: ${String(message)}`,
      todo: known[0] === "damaged" ? `${known[1]} ${fromBackup()} Nothing was written.` : known[1],
      cause: error,
    });
  // A whole number that no row of this program has.
  if (code === "ERR_OUT_OF_RANGE") {
    return continuityError("damaged", {
      expected: "numbers below 2^53",
      found: `${file}: ${String(message)}`,
      todo: `${ALTERED} ${fromBackup()} Nothing was written.`,
      cause: error,
    });
  }
  if (typeof code === "string" && /^E[A-Z]+$/.test(code)) {
    return continuityError("not-writable", {
      expected: "a file that can be opened and written",
      found: `${databaseAt(file)}: ${String(message)}`,
      todo: "Give the user of this process the right to open the file and its folder.",
      cause: error,
    });
  }
  return error;
}
