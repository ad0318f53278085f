import { dirname } from "node:path";
import type { RefusalParts } from "../coded-error.ts";
import { createMissing, keepPrivate, makeFolder, resolvePlace } from "../files/index.ts";

/** What SQLite says a database is. All is 0 in an empty one: its process was killed, or is still creating it. */
export interface DatabaseIdentity {
  readonly version: number;
  readonly application: number;
  /** How many tables and indexes it has. */
  readonly tables: number;
}

/** A database, or what has its `prepare`. */
interface Prepares {
  prepare(sql: string): { get(): unknown };
}

/** Reads what SQLite says of a database, in one statement: another process may be creating the file at this moment. */
export function databaseIdentity(database: Prepares): DatabaseIdentity {
  const identity = database
    .prepare(
      "SELECT (SELECT count(*) FROM sqlite_schema) AS tables, (SELECT user_version FROM pragma_user_version) AS " +
        "version, (SELECT application_id FROM pragma_application_id) AS application",
    )
    .get();
  return identity as DatabaseIdentity;
}

/**
 * Makes the folder of a database that is going to be written, and an empty file that its owner alone can read where
 * there is none: SQLite would make one for everybody, and follows every link. What SQLite puts beside the file gets the
 * mode of the file. Throws an `UnsafePathError` for a link of another user, and what the file system throws.
 */
export function makeDatabaseFile(file: string): void {
  makeFolder(dirname(file));
  createMissing(resolvePlace(file, { shared: "allow" }).path);
}

/**
 * Makes a database and what SQLite has put beside it readable by their owner only. Returns the parts of the refusal for
 * files of another user that others can read: only their owner can do that. `name` is the noun for the file.
 */
export function makePrivate(file: string, name: string): RefusalParts | undefined {
  for (const end of ["", "-wal", "-shm"]) {
    const foreign = keepPrivate(file + end);
    if (foreign)
      return {
        expected:
          `the ${name} ${file + end} to belong to user ${process.geteuid?.()}, who runs this, ` +
          "and to be readable by no other",
        found: `a file of user ${foreign.uid} with mode ${foreign.mode.toString(8).padStart(4, "0")}`,
        todo:
          "Run the command as that user, who alone can make the file private (chmod 600), or move the file away: " +
          "a new one is created. The file was not changed.",
      };
  }
  return undefined;
}
