import { createHash } from "node:crypto";
import { closeSync, copyFileSync, fsyncSync, linkSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { archivePathOf } from "./archive-file.ts";
import { reasonOf, refusal } from "./errors.ts";

const CHUNK = 1 << 20;

/**
 * Keeps a copy of a transcript of any size next to it, under the name of an archive (see archive-file.ts), and returns the copy's path; it is on
 * the disk by then. With `link` it does not take the room twice, where the file system can link: for a transcript that is replaced next, not
 * written to. What stands under that name is taken for the archive only when it has the same bytes. Throws `not-writable`; the
 * transcript is not changed.
 */
export function copyTranscript(transcript: string, { link = false }: { readonly link?: boolean } = {}): string {
  const hash = hashOfFile(transcript);
  const archive = archivePathOf(transcript, hash);
  const next = `${archive}.${process.pid}.tmp`;
  try {
    if (statSync(archive, { throwIfNoEntry: false })?.isFile() && hashOfFile(archive) === hash) return archive;
    if (!link || !isLinked(transcript, next)) {
      copyFileSync(transcript, next);
      withFile(next, "r+", fsyncSync);
    }
    // Half a copy, left by a kill, never has the archive's name.
    renameSync(next, archive);
  } catch (error) {
    throw refusal("not-writable", {
      expected: `to write ${archive}`,
      found: reasonOf(error),
      todo: "Make the folder writable and room on the disk; the session was not changed.",
      cause: error,
    });
  } finally {
    rmSync(next, { force: true });
  }
  return archive;
}

function isLinked(transcript: string, name: string): boolean {
  try {
    linkSync(transcript, name);
    return true;
  } catch {
    return false;
  }
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
