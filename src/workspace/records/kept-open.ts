import { statSync } from "node:fs";
import { openRecords, type Records, recordsFile } from "./records.ts";

/** Closing writes everything to the disk: between the captures of a turn the records stay open. */
const IDLE_MS = 10_000;

interface Kept {
  readonly records: Records;
  readonly identity: string | undefined;
  timer: NodeJS.Timeout | undefined;
}

const openRecordsByFolder = new Map<string, Kept>();

/**
 * The records of a folder, opened or still open. The caller holds the folder's lock and calls {@link release}
 * afterwards. Throws a JournalError as {@link openRecords} does.
 */
export function keptRecords(folder: string): Records {
  const known = openRecordsByFolder.get(folder);
  // A purge by another process has put a new file there, or none.
  if (known !== undefined && known.identity === recordsIdentity(folder)) {
    clearTimeout(known.timer);
    return known.records;
  }
  closeRecords(folder);
  const records = openRecords(folder);
  openRecordsByFolder.set(folder, { records, identity: recordsIdentity(folder), timer: undefined });
  return records;
}

/** Lets the records be closed after a while. */
export function release(folder: string): void {
  const known = openRecordsByFolder.get(folder);
  if (known !== undefined) known.timer = setTimeout(() => closeRecords(folder), IDLE_MS).unref();
}

/** Closes the records, before their folder is deleted. */
export function closeRecords(folder: string): void {
  const known = openRecordsByFolder.get(folder);
  if (known === undefined) return;
  clearTimeout(known.timer);
  openRecordsByFolder.delete(folder);
  known.records.close();
}

function recordsIdentity(folder: string): string | undefined {
  const stat = statSync(recordsFile(folder), { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}
