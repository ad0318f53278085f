import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { logFailure, logLine } from "./log.ts";
import { isEnabled } from "./switch.ts";

/** Where the archive of a transcript with these bytes lies: next to it, with the beginning of their SHA-256 in its name. */
export function archivePath(file: string, bytes: Buffer): string {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  return `${file}.integrity-${hash}.bak`;
}

/**
 * Copies a transcript next to itself, `<file>.integrity-<hash>.bak`, and returns the copy's path once it is on the disk. The same bytes
 * are kept once. Throws when the file cannot be read or the copy cannot be written; the transcript is not touched. Issue 4, rung 4.
 */
export function archiveTranscript(file: string): string {
  const bytes = readFileSync(file);
  const archive = archivePath(file, bytes);
  // A copy with this name holds these bytes, unless a kill left it half written under its temporary name.
  if (existsSync(archive) && statSync(archive).size === bytes.length) return archive;
  const temporary = `${archive}.tmp`;
  try {
    writeFileSync(temporary, bytes, { mode: statSync(file).mode & 0o777 });
    const handle = openSync(temporary, "r+");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, archive);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return archive;
}

/**
 * Stands before OpenClaw's own resets that delete a transcript (to 2026.6): keeps a copy first. Throws when that fails, so that the
 * transcript is not deleted; does nothing for a file that is not there. Issue 4, rung 4; openclaw#97529.
 */
export function archiveBeforeReset(file: string): void {
  if (!isEnabled() || !existsSync(file)) return;
  try {
    logLine(`reset: the transcript was kept as ${basename(archiveTranscript(file))}`);
  } catch (error) {
    logFailure("archive before a reset", error, "the transcript is not deleted");
    throw error;
  }
}
