import { existsSync, renameSync, statSync } from "node:fs";
import { fileTime } from "../base/file-time.ts";
import { JournalError } from "./errors.ts";
import { type Journal, type JournalOptions, openJournal } from "./journal.ts";

/**
 * Renames a damaged journal to `<file>.damaged-<time>`, so that a new one can be created; deletes nothing. Returns the
 * new name; undefined when there is no file. The write-ahead log is renamed along: it belongs to that file and would
 * damage another one.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { setAside } from "openclaw-integrity/journal";
 *
 * const folder = mkdtempSync(join(tmpdir(), "journal-"));
 * const file = join(folder, "openclaw-integrity.sqlite");
 * writeFileSync(file, "no database");
 * assert.equal(setAside(file, Date.UTC(2026, 0, 31)), `${file}.damaged-2026-01-31T00-00-00-000Z`);
 * assert.equal(existsSync(file), false);
 * assert.equal(setAside(file), undefined); // nothing there any more
 * rmSync(folder, { recursive: true });
 * ```
 */
export function setAside(file: string, now: number = Date.now()): string | undefined {
  if (!existsSync(file)) return undefined;
  const name = `${file}.damaged-${fileTime(now)}`;
  let target = name;
  for (let more = 2; existsSync(target); more++) target = `${name}-${more}`;
  for (const end of ["-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, target + end);
  renameSync(file, target);
  return target;
}

/** Returns the inode of the file with this name; undefined when there is none. */
export function fileIdentity(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/**
 * Runs {@link setAside} only if the file is still the one that was found damaged: another process may have created a
 * new one under its name meanwhile.
 */
export function setAsideSame(file: string, identity: number | undefined): string | undefined {
  return identity !== undefined && fileIdentity(file) === identity ? setAside(file) : undefined;
}

/** Options of {@link openSoundJournal}. */
export interface SoundJournalOptions extends JournalOptions {
  /** Called with the new name of a file that was set aside, and why. */
  onSetAside?: ((to: string, error: JournalError) => void) | undefined;
  /**
   * True by default: every page is checked. False, for a program that sets the file aside itself when a read fails
   * later: until then it reads what the sound pages hold.
   */
  checkPages?: boolean | undefined;
}

/**
 * Opens a journal as {@link openJournal} does and checks its pages ({@link Journal.assertSound}), but sets a damaged
 * file aside, calls `onSetAside` with its new name, and creates a new journal. Throws the other errors of openJournal,
 * and `damaged` with `readOnly`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { openSoundJournal } from "openclaw-integrity/journal";
 *
 * const folder = mkdtempSync(join(tmpdir(), "journal-"));
 * const file = join(folder, "openclaw-integrity.sqlite");
 * writeFileSync(file, "SQLite format 3\0 and then nothing that SQLite wrote", { mode: 0o600 });
 * const moved: string[] = [];
 * const journal = openSoundJournal(file, { onSetAside: (to) => moved.push(to) });
 * assert.equal(moved.length, 1);
 * assert.deepEqual(journal.incidents.list(), []);
 * journal.close();
 * rmSync(folder, { recursive: true });
 * ```
 */
export function openSoundJournal(file: string, options: SoundJournalOptions = {}): Journal {
  const identity = fileIdentity(file);
  try {
    const journal = openJournal(file, options);
    return options.checkPages === false ? journal : sound(journal);
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "damaged" || options.readOnly) throw error;
    const to = setAsideSame(file, identity);
    if (to !== undefined) options.onSetAside?.(to, error);
    return openJournal(file, options);
  }
}

/** Returns the journal when its pages are sound; closes it and throws `damaged` otherwise. */
function sound(journal: Journal): Journal {
  try {
    journal.assertSound();
    return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
}
