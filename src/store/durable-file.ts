import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { reasonOf, refusal } from "./errors.ts";

/**
 * Puts a file in place as one step: after a kill or a power cut it is the old one or the new one, whole. Throws `not-writable`,
 * and then the old one is still there.
 */
export function putFile(file: string, bytes: string | Uint8Array, mode: number): void {
  const next = `${file}.integrity-${process.pid}.tmp`;
  try {
    unlessRefused(file, () => writeFileSync(next, bytes, { mode }));
    moveInPlace(next, file, mode);
  } catch (error) {
    rmSync(next, { force: true, recursive: false });
    throw error;
  }
}

/** Puts a file that was written beside another in its place, likewise. Throws `not-writable`. */
export function moveInPlace(next: string, file: string, mode: number): void {
  unlessRefused(file, () => {
    // The process's umask may have taken bits away.
    chmodSync(next, mode);
    flush(next, "r+");
    renameSync(next, file);
    syncFolder(dirname(file));
  });
}

/** Says of which file the system refused to write. */
export function unlessRefused<Value>(file: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw refusal("not-writable", {
      expected: `to write ${file}`,
      found: reasonOf(error),
      todo: "Run it as the user OpenClaw runs as, and make the folder writable and room on the disk; the session was not changed.",
      cause: error,
    });
  }
}

/** Makes a rename in the folder survive a power cut; not every system can. */
function syncFolder(folder: string): void {
  if (process.platform !== "win32") flush(folder, "r");
}

function flush(path: string, flags: "r" | "r+"): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
