import { existsSync } from "node:fs";
import { basename } from "node:path";
import { emit } from "../../observe/index.ts";
import { archiveTranscript, readContent } from "../../store/archives/archive-file.ts";
import { logFailure, logLine } from "./log.ts";
import { isEnabled } from "./switch.ts";

/**
 * Copies a transcript to `<file>.integrity-<hash>.bak` in the same folder, and returns the copy's path once it is on
 * the disk. Equal content is kept once. Throws when the file does not exist or the copy cannot be written; the
 * transcript is not changed.
 */
export function keepTranscript(file: string): string {
  const content = readContent(file);
  if (!content) throw new Error(`expected a transcript at ${file}, found none.`);
  return archiveTranscript(file, content);
}

/**
 * Archives a transcript before one of OpenClaw's own resets deletes it (up to 2026.6.8, openclaw#97529). Throws when
 * that fails, so that the transcript is not deleted; does nothing for a file that does not exist.
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
