import { JournalError } from "./errors.ts";
import { type Journal, type JournalOptions, openJournal } from "./journal.ts";
import { fileIdentity, setAsideSame } from "./set-aside.ts";

/** Options of {@link openSoundJournal}. */
export interface SoundJournalOptions extends JournalOptions {
  /** Called with the new name of a file that was set aside, and why. */
  onSetAside?: ((to: string, error: JournalError) => void) | undefined;
  /**
   * Whether every page is checked; true by default. With false a damaged page is found by the first read of it, and the
   * program has to set the file aside then.
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
