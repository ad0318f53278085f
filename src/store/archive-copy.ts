import { createHash } from "node:crypto";
import { closeSync, copyFileSync, fsyncSync, openSync, readSync } from "node:fs";
import { reasonOf, refusal } from "./errors.ts";

const CHUNK = 1 << 20;

/**
 * Keeps a copy of a transcript of any size next to it, under the name of an archive (see archive-file.ts), and returns the copy's path; it is on
 * the disk by then. Throws `not-writable`; the transcript is not changed.
 */
export function copyTranscript(transcript: string): string {
  const archive = `${transcript}.integrity-${hashOfFile(transcript).slice(0, 12)}.bak`;
  try {
    copyFileSync(transcript, archive);
    withFile(archive, "r+", fsyncSync);
  } catch (error) {
    throw refusal("not-writable", {
      expected: `to write ${archive}`,
      found: reasonOf(error),
      todo: "Make the folder writable and room on the disk; the session was not changed.",
      cause: error,
    });
  }
  return archive;
}

function hashOfFile(file: string): string {
  const hash = createHash("sha256");
  withFile(file, "r", (handle) => {
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) hash.update(chunk.subarray(0, read));
  });
  return hash.digest("hex");
}

function withFile(file: string, flags: string, work: (handle: number) => void): void {
  const handle = openSync(file, flags);
  try {
    work(handle);
  } finally {
    closeSync(handle);
  }
}
