import { existsSync } from "node:fs";
import { JournalError, journalFile, openJournal } from "../journal/index.ts";
import { printable } from "./printable.ts";
import type { JournalFacts } from "./checkup.ts";

/** Less than a person waits for; a gateway writes for milliseconds. */
const BUSY_MS = 2000;

const SENTENCES: Readonly<Partial<Record<JournalError["code"], string>>> = {
  missing: "No journal yet: a patched OpenClaw begins one, and with it checkpoints.",
  locked: "The journal is held by another program, so checkpoints are not shown; run it again later.",
  newer: "The journal is of a newer openclaw-integrity than this one, so checkpoints are not shown; update this one.",
  damaged:
    "The journal is damaged, so checkpoints are not shown; the patched OpenClaw sets it aside and begins a new one.",
  foreign: "The file under the journal's name is another program's, so there are no checkpoints.",
  "no-sqlite": "This Node has no SQLite, so checkpoints are not shown; run it with Node 22.13 or later.",
};

/**
 * The checkpoints of the journal, without the messages that some hold, or one sentence why they cannot be read. Never
 * throws. Issue 6, item 4.
 */
export function readJournal(stateDirectory: string, sessionId?: string): JournalFacts {
  const file = journalFile(stateDirectory);
  if (!existsSync(file)) return { sentence: SENTENCES.missing! };
  try {
    const journal = openJournal(file, { readOnly: true, busyTimeoutMs: BUSY_MS });
    try {
      return { checkpoints: journal.checkpoints.list(sessionId) };
    } finally {
      journal.close();
    }
  } catch (error) {
    const known = error instanceof JournalError ? SENTENCES[error.code] : undefined;
    return {
      sentence:
        known ??
        `The journal could not be read, so checkpoints are not shown: ${printable(error instanceof Error ? error.message : error, 200)}`,
    };
  }
}
