import { existsSync, renameSync, statSync } from "node:fs";
import { JournalError } from "./errors.ts";
import { type Journal, type JournalOptions, openJournal } from "./journal.ts";

/**
 * Renames a damaged journal to `<file>.damaged-<time>`, so that a new one can be begun; nothing is deleted. Returns the new name,
 * undefined when there is nothing to rename. The write-ahead log goes along: it belongs to that file and would damage another.
 */
export function setAside(file: string, now: number = Date.now()): string | undefined {
  if (!existsSync(file)) return undefined;
  const time = new Date(now).toISOString().replaceAll(":", "-").replace(".", "-");
  let target = `${file}.damaged-${time}`;
  for (let more = 2; existsSync(target); more++) target = `${file}.damaged-${time}-${more}`;
  for (const end of ["-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, target + end);
  renameSync(file, target);
  return target;
}

/** {@link openJournal}; a damaged file is set aside (`onSetAside` hears where) and a new journal begun. Throws its other errors. */
export function openSoundJournal(file: string, options: JournalOptions & { onSetAside?: (to: string, error: JournalError) => void } = {}): Journal {
  const before = existsSync(file) ? statSync(file).ino : undefined;
  try {
    return openJournal(file, options);
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "damaged" || options.readOnly) throw error;
    // Another process that found the same may have begun a new one meanwhile.
    const to = existsSync(file) && statSync(file).ino === before ? setAside(file) : undefined;
    if (to !== undefined) options.onSetAside?.(to, error);
    return openJournal(file, options);
  }
}
