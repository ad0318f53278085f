/** Damaged databases of this project: found, searched for a subject's names, and deleted by a purge. */
import { readFileSync } from "node:fs";
import { JournalError, journalFile, type Schema } from "../journal/index.ts";
import { JOURNAL_SCHEMA } from "../journal/schema.ts";
import { timelineIndexFile } from "../timetravel/timeline-index/index.ts";
import { INDEX_SCHEMA } from "../timetravel/timeline-index/schema.ts";
import { readRows } from "./holders/erase-rows.ts";
import type { Holding, Subject } from "./holders/holder.ts";
import { filesIn, type FoundFile, removeFiles } from "./holders/read-folder.ts";

/** Names of databases that `setAside` has renamed, and of their SQLite side files. */
const SET_ASIDE = /^openclaw-(?:integrity|continuity).*\.damaged-\d{4}-\d\d-\d\dT/;
/** Larger files are not searched. */
const MAX_SEARCHED_BYTES = 256 * 1024 * 1024;

/**
 * Databases of this project that were damaged and set aside. They may contain messages of whole sessions, and their
 * rows cannot be assigned to sessions.
 */
export function setAsideDatabases(stateDirectory: string): FoundFile[] {
  return filesIn(stateDirectory).filter(({ name }) => SET_ASIDE.test(name));
}

/**
 * The journal and the timeline index, where they are damaged and not yet set aside; a running guard sets its journal
 * aside when it finds the damage. The database of recorded work is not examined. Throws other errors of reading.
 */
export function damagedInUse(stateDirectory: string): string[] {
  const all: [string, Schema][] = [
    [journalFile(stateDirectory), JOURNAL_SCHEMA],
    [timelineIndexFile(stateDirectory), INDEX_SCHEMA],
  ];
  return all.filter(([file, schema]) => isDamaged(file, schema)).map(([file]) => file);
}

function isDamaged(file: string, schema: Schema): boolean {
  try {
    return (
      (readRows(
        file,
        schema,
        (connection) => connection.prepare("PRAGMA quick_check(1)").get<{ quick_check: string }>()?.quick_check,
      ) ?? "ok") !== "ok"
    );
  } catch (error) {
    if (error instanceof JournalError && error.code === "damaged") return true;
    throw error;
  }
}

/** The damaged databases as holdings. */
export function damagedHoldings(files: readonly FoundFile[]): Holding[] {
  return files.map(({ path, bytes }) => ({ kind: "damaged_database", place: path, count: 1, bytes, hasWords: true }));
}

/** The files that contain an id or a key of the subject; a file too large to be searched counts. */
export function filesMentioning(files: readonly FoundFile[], { sessionIds, sessionKeys }: Subject): FoundFile[] {
  const names = [...sessionIds, ...sessionKeys];
  return files.filter(({ path, bytes }) => {
    if (bytes > MAX_SEARCHED_BYTES) return true;
    const content = readFileSync(path);
    return names.some((name) => content.includes(name));
  });
}

/** Deletes databases that were set aside, each with all that it holds of any session. */
export function removeDamaged(files: readonly FoundFile[]): void {
  removeFiles(files.map(({ path }) => path));
}
