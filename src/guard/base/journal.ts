import { closeSync, constants, existsSync, openSync, rmSync } from "node:fs";
import { asJournalError, type JournalError } from "../../journal/errors.ts";
import { type Journal, journalFile } from "../../journal/journal.ts";
import { fileIdentity, openSoundJournal, setAsideSame } from "../../journal/set-aside.ts";
import { emit } from "../../observe/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { logFailure, logLine } from "./log.ts";

/**
 * How long the journal is let alone after a failure: a full disk or a lock would otherwise cost every call of a tool
 * its wait.
 */
const RETRY_AFTER_MS = 60_000;

const { O_WRONLY, O_CREAT, O_NOFOLLOW = 0 } = constants;

/** How long a closed cycle is kept, for those who look back. */
const KEEP_CLOSED_MS = 30 * 24 * 3_600_000;

/** How long deletions of runs that end are gathered before the write-ahead log is emptied, which waits for the disk. */
const TIDY_MS = 1000;
/** How often that is tried while another process reads. */
const TIDY_TRIES = 10;

/** One journal per file: a process may serve several state directories one after the other. */
interface Slot {
  journal?: Journal;
  /** Which file it has open; another process may have put a new one in its place. */
  identity?: number | undefined;
  /** A call was started that could not be written down. */
  missed?: boolean;
  failedAt?: number;
  failedAs?: string;
  tidying?: NodeJS.Timeout | undefined;
}

const slots = new Map<string, Slot>();

/**
 * Runs `work` on the journal of this OpenClaw. Undefined when there is none or it fails: that is said once per kind of
 * failure, a damaged one is set aside, and OpenClaw goes on without. Never throws. Issue 5, item 2.
 */
export function withJournal<T>(work: (journal: Journal) => T): T | undefined {
  const file = journalFile(stateDirectory());
  let slot = slots.get(file);
  if (!slot) slots.set(file, (slot = {}));
  if (slot.failedAt !== undefined && Date.now() - slot.failedAt < RETRY_AFTER_MS) return undefined;
  try {
    slot.journal ??= opened(slot, file);
    const result = work(slot.journal);
    delete slot.failedAt;
    delete slot.failedAs;
    return result;
  } catch (error) {
    failed(slot, file, asJournalError(error, file));
    return undefined;
  }
}

/**
 * Empties the journal's write-ahead log in a moment, when something was deleted that nobody shall find in the file; no
 * more than once in a second, whatever ends in it. Never throws.
 */
export function tidyJournal(): void {
  const slot = slots.get(journalFile(stateDirectory()));
  if (slot) tidyLater(slot, TIDY_TRIES);
}

function tidyLater(slot: Slot, tries: number): void {
  slot.tidying ??= setTimeout(() => {
    slot.tidying = undefined;
    try {
      // A journal that was closed has emptied its log by that.
      if (slot.journal?.emptyLog() === false && tries > 1) tidyLater(slot, tries - 1);
    } catch (error) {
      logFailure("journal", error, "its write-ahead log is emptied at the end of another run");
    }
  }, TIDY_MS).unref();
}

/**
 * Says that a call was started which the journal has as not started. It stands beside the journal, in a file without
 * content: a disk that is full takes that, and it outlives a kill. Never throws.
 */
export function noteMissedStart(): void {
  const file = journalFile(stateDirectory());
  const slot = slots.get(file);
  if (slot) slot.missed = true;
  try {
    closeSync(openSync(missedFile(file), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600));
  } catch {
    // This process knows it still, and the log has said that the journal fails.
  }
}

function missedFile(file: string): string {
  return `${file}.missed`;
}

function opened(slot: Slot, file: string): Journal {
  const since = performance.now();
  const journal = openSoundJournal(file, {
    onSetAside: (to, { code }) => {
      emit("l0:journal:set_aside", undefined, { kind: code });
      logLine(`journal: ${file} is damaged and was set aside as ${to}; a new one is begun`);
    },
  });
  emit("l0:journal:opened", undefined, { since });
  slot.identity = fileIdentity(file);
  if (slot.missed === true || existsSync(missedFile(file))) {
    journal.cycles.doubt();
    rmSync(missedFile(file), { force: true });
    delete slot.missed;
  }
  journal.cycles.prune(Date.now() - KEEP_CLOSED_MS);
  // A process that was killed has left its words there.
  tidyLater(slot, TIDY_TRIES);
  return journal;
}

function failed(slot: Slot, file: string, error: JournalError): void {
  const { code } = error;
  emit("l0:journal:failed", undefined, { kind: code });
  if (slot.failedAs !== code)
    logLine(`journal: ${error.message} Until then interrupted tool calls are told as of unknown outcome.`);
  slot.failedAs = code;
  slot.failedAt = Date.now();
  const { journal } = slot;
  delete slot.journal;
  try {
    journal?.close();
    if (code !== "damaged") return;
    const to = setAsideSame(file, slot.identity);
    if (to !== undefined) {
      emit("l0:journal:set_aside", undefined, { kind: code });
      logLine(`journal: set aside as ${to}; a new one is begun`);
    }
    delete slot.failedAt;
  } catch {
    // What could not be closed or renamed is tried again after the pause.
  }
}
