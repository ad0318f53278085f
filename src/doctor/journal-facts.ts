import { existsSync } from "node:fs";
import { JournalError, journalFile, openJournal } from "../journal/index.ts";
import { printable } from "./printable.ts";
import type { JournalFacts } from "./checkup.ts";

/** Shorter than a person's patience; a gateway holds the write lock for milliseconds. */
const BUSY_MS = 2000;

const SENTENCES: Readonly<Partial<Record<JournalError["code"], string>>> = {
  missing: "No journal yet: a patched OpenClaw creates it, and makes checkpoints.",
  locked: "The journal is locked by another program, so checkpoints are not shown; run the command again later.",
  newer: "The journal was written by a newer openclaw-integrity, so checkpoints are not shown; update this one.",
  damaged:
    "The journal is damaged, so checkpoints are not shown; the patched OpenClaw sets it aside and creates a new one.",
  foreign: "The file at the journal's path belongs to another program, so there are no checkpoints.",
  "no-sqlite": "This Node has no SQLite, so checkpoints are not shown; use Node 22.13 or later.",
};

/**
 * Reads the checkpoints of the journal without their copies of messages, or returns one sentence why they cannot be
 * read. Never throws.
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
        "The journal could not be read, so checkpoints are not " +
          `shown: ${printable(error instanceof Error ? error.message : error, 200)}`,
    };
  }
}
