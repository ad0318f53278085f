import { existsSync } from "node:fs";
import { basename } from "node:path";
import { emit } from "../../observe/index.ts";
import { archiveTranscript, readContent } from "../../store/archives/archive-file.ts";
import { logFailure, logLine } from "./log.ts";
import { isEnabled } from "./switch.ts";

/**
 * Copies a transcript next to itself, `<file>.integrity-<hash>.bak`, and returns the copy's path once it is on the
 * disk. The same bytes are kept once. Throws when the file is not there or the copy cannot be written; the transcript
 * is not touched. Issue 4, rung 4.
 */
export function keepTranscript(file: string): string {
  const content = readContent(file);
  if (!content) throw new Error(`expected a transcript at ${file}, found none.`);
  return archiveTranscript(file, content);
}

/**
 * Stands before OpenClaw's own resets that delete a transcript (to 2026.6.8): keeps a copy first. Throws when that
 * fails, so that the transcript is not deleted; does nothing for a file that is not there. Issue 4, rung 4;
 * openclaw#97529.
 */
export function archiveBeforeReset(file: string): void {
  if (!isEnabled() || !existsSync(file)) return;
  try {
    const archive = keepTranscript(file);
    emit("l0:session:archived", () => ({}));
    logLine(`reset: the transcript was kept as ${basename(archive)}`);
  } catch (error) {
    logFailure("archive before a reset", error, "the transcript is not deleted");
    throw error;
  }
}
