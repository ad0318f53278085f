import { asJournalError, type JournalError } from "../journal/errors.ts";
import { type Journal, journalFile } from "../journal/journal.ts";
import { openSoundJournal, setAside } from "../journal/set-aside.ts";
import { stateDirectory } from "../store/state-directory.ts";
import { logLine } from "./log.ts";

/** How long the journal is let alone after a failure: a full disk or a lock would otherwise cost every call of a tool its wait. */
const RETRY_AFTER_MS = 60_000;

/** How long a closed cycle is kept, for those who look back. */
const KEEP_CLOSED_MS = 30 * 24 * 3_600_000;

/** One journal per file: a process may serve several state directories one after the other. */
interface Slot {
  journal?: Journal;
  failedAt?: number;
  failedAs?: string;
}

const slots = new Map<string, Slot>();

/**
 * Runs `work` on the journal of this OpenClaw. Undefined when there is none or it fails: that is said once per kind of failure, a
 * damaged one is set aside, and OpenClaw goes on without. Never throws. Issue 5, item 2.
 */
export function withJournal<T>(work: (journal: Journal) => T): T | undefined {
  const file = journalFile(stateDirectory());
  let slot = slots.get(file);
  if (!slot) slots.set(file, (slot = {}));
  if (slot.failedAt !== undefined && Date.now() - slot.failedAt < RETRY_AFTER_MS) return undefined;
  try {
    slot.journal ??= opened(file);
    const result = work(slot.journal);
    delete slot.failedAt;
    delete slot.failedAs;
    return result;
  } catch (error) {
    failed(slot, file, asJournalError(error, file));
    return undefined;
  }
}

function opened(file: string): Journal {
  const journal = openSoundJournal(file, { onSetAside: (to) => logLine(`journal: ${file} is damaged and was set aside as ${to}; a new one is begun`) });
  journal.cycles.prune(Date.now() - KEEP_CLOSED_MS);
  return journal;
}

function failed(slot: Slot, file: string, error: JournalError): void {
  const { code } = error;
  if (slot.failedAs !== code) logLine(`journal: ${error.message} Until then interrupted tool calls are told as of unknown outcome.`);
  slot.failedAs = code;
  slot.failedAt = Date.now();
  const { journal } = slot;
  delete slot.journal;
  try {
    journal?.close();
    if (code !== "damaged") return;
    const to = setAside(file);
    if (to !== undefined) logLine(`journal: set aside as ${to}; a new one is begun`);
    delete slot.failedAt;
  } catch {
    // What could not be closed or renamed is tried again after the pause.
  }
}
