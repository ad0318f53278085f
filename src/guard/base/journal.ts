/** The guard's way to the journal: opened at the first use, and never a reason for a turn to fail. */
import { closeSync, constants, existsSync, openSync, rmSync } from "node:fs";
import { asJournalError, type JournalError } from "../../journal/errors.ts";
import { type Journal, journalFile, missedFile } from "../../journal/journal.ts";
import { openSoundJournal } from "../../journal/open-sound.ts";
import { fileIdentity, setAsideSame } from "../../journal/set-aside.ts";
import { emit } from "../../observe/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { logFailure, logLine } from "./log.ts";

/**
 * How long the journal is not used after a failure. Without this pause every tool call would wait for a full disk or a
 * lock.
 */
const RETRY_AFTER_MS = 60_000;

const { O_WRONLY, O_CREAT, O_NOFOLLOW = 0 } = constants;

/** How long a closed cycle is kept, for later investigation. */
const KEEP_CLOSED_MS = 30 * 24 * 3_600_000;

/**
 * Delay that combines the deletions of several runs into one emptying of the write-ahead log, which waits for the disk.
 */
const TIDY_MS = 1000;
/** How often emptying is tried while another process reads. */
const TIDY_TRIES = 10;

/** One journal per file: a process may serve several state directories one after the other. */
interface Slot {
  journal?: Journal;
  /** Identity of the file that is open; another process may have put a new file in its place. */
  identity?: number | undefined;
  /** A tool call was started whose start could not be journalled. */
  missed?: boolean;
  failedAt?: number;
  failedAs?: string;
  tidying?: NodeJS.Timeout | undefined;
}

const slots = new Map<string, Slot>();

/**
 * Runs `work` on the journal of this OpenClaw. Returns undefined when the journal cannot be opened or fails: one line
 * is logged for each kind of failure, a damaged journal is set aside, and OpenClaw continues without. Never throws.
 */
export function withJournal<T>(work: (journal: Journal) => T): T | undefined {
  const file = journalFile(stateDirectory());
  let slot = slots.get(file);
  if (!slot) slots.set(file, (slot = {}));
  if (slot.failedAt !== undefined && Date.now() - slot.failedAt < RETRY_AFTER_MS) return undefined;
  try {
    slot.journal ??= openInSlot(slot, file);
    const result = work(slot.journal);
    delete slot.failedAt;
    delete slot.failedAs;
    return result;
  } catch (error) {
    noteFailure(slot, file, asJournalError(error, file));
    return undefined;
  }
}

/** True where this OpenClaw has a journal: reading must not create one. */
export function hasJournal(): boolean {
  const file = journalFile(stateDirectory());
  return slots.get(file)?.journal !== undefined || existsSync(file);
}

/**
 * Schedules emptying the journal's write-ahead log, so that deleted content cannot be found in that file; at most once
 * a second, however many runs end. Never throws.
 */
export function tidyJournal(): void {
  const slot = slots.get(journalFile(stateDirectory()));
  if (slot) tidyLater(slot, TIDY_TRIES);
}

function tidyLater(slot: Slot, tries: number): void {
  slot.tidying ??= setTimeout(() => {
    slot.tidying = undefined;
    try {
      // Closing a journal empties its log too.
      if (slot.journal?.emptyLog() === false && tries > 1) tidyLater(slot, tries - 1);
    } catch (error) {
      logFailure("journal", error, "its write-ahead log is emptied at the end of another run");
    }
  }, TIDY_MS).unref();
}

/**
 * Records that a call was started which the journal reports as not started. The record is an empty file beside the
 * journal: a full disk still takes one, and the file outlives a kill. Never throws.
 */
export function noteMissedStart(): void {
  const file = journalFile(stateDirectory());
  const slot = slots.get(file);
  if (slot) slot.missed = true;
  try {
    closeSync(openSync(missedFile(file), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600));
  } catch {
    // This process still has `missed`, and the failure of the journal is already logged.
  }
}

function openInSlot(slot: Slot, file: string): Journal {
  const since = performance.now();
  const journal = openSoundJournal(file, {
    // A read that fails later sets the file aside; until then the sound pages tell what became of calls.
    checkPages: false,
    onSetAside: (to, { code }) => {
      emit("l0:journal:set_aside", undefined, { kind: code });
      logLine(`journal: ${file} is damaged and was set aside as ${to}; a new one is created`);
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
  // A process that was killed has left message texts in the log.
  tidyLater(slot, TIDY_TRIES);
  return journal;
}

function noteFailure(slot: Slot, file: string, error: JournalError): void {
  const { code } = error;
  emit("l0:journal:failed", undefined, { kind: code });
  if (slot.failedAs !== code)
    logLine(`journal: ${error.message} Until then interrupted tool calls are reported with an unknown outcome.`);
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
      logLine(`journal: set aside as ${to}; a new one is created`);
    }
    delete slot.failedAt;
  } catch {
    // A journal that could not be closed or renamed is tried again after the pause.
  }
}
