import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import type { DatabaseSync } from "node:sqlite";
import { nodeSqlite, type Sqlite } from "../../base/node-sqlite.ts";
import { nodeSqliteDialect } from "../../base/node-sqlite-dialect.ts";
import { ContinuityError, continuityError, type ContinuityErrorCode } from "../base/errors.ts";
import type { CommitOutcome, ContinuityStore, EventRow } from "../ledger/store.ts";
import { notThere } from "./not-there.ts";
import { migrations, SQLITE_TYPES } from "./schema.ts";
import { SqlStore } from "./sql-store.ts";
import { eventCommitter } from "./sqlite-commit.ts";
import type { ContinuityTables } from "./tables.ts";

/** How a SQLite store is opened. */
export interface SqliteOptions {
  /** A file, which is made for its owner only if it is not there; or ":memory:". */
  readonly file: string;
  /** Throws `not-found` instead of making the file. */
  readonly mustExist?: boolean;
  /** How long a write waits for another process, 5 s by default. */
  readonly busyTimeoutMs?: number;
  readonly crashPoint?: (name: string) => void;
}

/** Marks the file as a continuity store of this project ("occo"). */
const APPLICATION_ID = 0x6f63636f;
const BUSY_TIMEOUT_MS = 5000;

/**
 * The kernel's tables in a SQLite file: WAL, synced at every commit, brought to this version's schema. Throws a
 * ContinuityError: `no-sqlite`, `newer` for a file of a later version, `foreign` for another program's, `not-writable`
 * when it cannot be opened, and `not-found` where it must be there and is not. Such a file is not changed.
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
  mustExist = false,
  busyTimeoutMs = BUSY_TIMEOUT_MS,
  crashPoint = () => undefined,
}: SqliteOptions): ContinuityStore {
  const sqlite = nodeSqlite();
  if (!sqlite)
    throw continuityError("no-sqlite", {
      expected: "a Node with node:sqlite (22.13 or later)",
      found: `Node ${process.version}`,
      todo: "Run it with a newer Node.",
    });
  const asError = (error: unknown): unknown => asContinuityError(error, file);
  const database = openSqliteDatabase(sqlite, { file, mustExist, busyTimeoutMs });
  const db = new Kysely<ContinuityTables>({ dialect: nodeSqliteDialect(database) });
  const commit = eventCommitter(database, crashPoint);
  // kysely hands its one connection to one at a time.
  const commitEvent = (event: EventRow): Promise<CommitOutcome> => db.connection().execute(async () => commit(event));
  return new SqlStore(
    db,
    { asError, commitEvent, patiently: (work) => untilFree(work, busyTimeoutMs), close: () => db.destroy() },
    crashPoint,
  );
}

/** Opens, checks and prepares the file. Throws a ContinuityError; then nothing is open. */
export function openSqliteDatabase(
  sqlite: Sqlite,
  options: Required<Pick<SqliteOptions, "file" | "mustExist" | "busyTimeoutMs">>,
): DatabaseSync {
  const { file, mustExist, busyTimeoutMs } = options;
  const end = performance.now() + busyTimeoutMs;
  for (;;) {
    let database: DatabaseSync | undefined;
    try {
      if (mustExist && !existsSync(file)) throw notThere(file, "no such file");
      if (file !== ":memory:") mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      database = new sqlite.DatabaseSync(file);
      // The time first: the others may have to wait already.
      database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      const isEmpty = assertOurs(database, file);
      if (mustExist && isEmpty) throw notThere(file, "an empty file");
      database.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON",
      );
      if (file !== ":memory:") chmodSync(file, 0o600);
      migrate(database);
      // From here on this process waits outside of SQLite, which would stand still as a whole, with a transaction of
      // another store of it too.
      database.exec("PRAGMA busy_timeout = 0");
      return database;
    } catch (error) {
      database?.close();
      // Where several switch a new file to WAL at once, SQLite refuses some without waiting.
      if (!isBusy(error) || performance.now() > end) throw asContinuityError(error, file);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPENING_PAUSE_MS);
    }
  }
}

const OPENING_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 25;

/** Tries again for that time while another store, of this process or another, holds the database. */
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

function pragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** Whether nothing is in it yet. */
function assertOurs(database: DatabaseSync, file: string): boolean {
  // In one transaction: between two questions another process may make the tables.
  database.exec("BEGIN");
  const tables = Number(database.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.["n"]);
  const [version, application] = [pragma(database, "user_version"), pragma(database, "application_id")];
  database.exec("COMMIT");
  const isEmpty = version === 0 && application === 0 && tables === 0;
  if (application !== APPLICATION_ID && !isEmpty) {
    throw continuityError("foreign", {
      expected: "a continuity store of openclaw-integrity, or no file",
      found: `another program's database in ${file}`,
      todo: "Name another file. It was not changed.",
    });
  }
  const newest = migrations(SQLITE_TYPES).length;
  if (version > newest) {
    throw continuityError("newer", {
      expected: `a continuity store of version ${newest} or older`,
      found: `version ${version} in ${file}`,
      todo: "A newer openclaw-integrity wrote it: use that one. It was not changed.",
    });
  }
  return isEmpty;
}

function migrate(database: DatabaseSync): void {
  const steps = migrations(SQLITE_TYPES);
  if (pragma(database, "user_version") === steps.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have come first.
    for (const statements of steps.slice(pragma(database, "user_version")))
      for (const statement of statements) database.exec(statement);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}; COMMIT`);
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

/** What SQLite's primary result codes mean here (https://sqlite.org/rescode.html). */
const BY_RESULT: Readonly<Record<number, readonly [ContinuityErrorCode, string]>> = {
  5: ["busy", "Another process holds the database; try again."],
  6: ["busy", "Another process holds the database; try again."],
  8: ["not-writable", "Give the user that runs this the right to write to the file and its folder."],
  10: ["not-writable", "Look into the disk: it failed to read or write."],
  11: ["damaged", "Restore the file from a backup; nothing was executed."],
  13: ["not-writable", "Make room on the disk."],
  14: ["not-writable", "Give the user that runs this the right to open the file and its folder."],
  26: ["foreign", "Name another file. It was not changed."],
};

/** What SQLite refused on `file`, as a ContinuityError where it is known. */
export function asContinuityError(error: unknown, file: string): unknown {
  if (error instanceof ContinuityError) return error;
  const { errcode, code, message } = error as { errcode?: unknown; code?: unknown; message?: unknown };
  const known = typeof errcode === "number" ? BY_RESULT[errcode & 0xff] : undefined;
  if (known)
    return continuityError(known[0], {
      expected: "a continuity store that can be read and written",
      found: `${file}: ${String(message)}`,
      todo: known[1],
      cause: error,
    });
  if (typeof code === "string" && /^E[A-Z]+$/.test(code)) {
    return continuityError("not-writable", {
      expected: "a file that can be opened and written",
      found: `${file}: ${String(message)}`,
      todo: "Give the user that runs this the right to it, and room on the disk.",
      cause: error,
    });
  }
  return error;
}
