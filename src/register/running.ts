/**
 * The records of processes that run OpenClaw patched from memory: `integrity/running/<pid>.json` in its state
 * directory. `status` reads them. They are written by the processes themselves.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readProcessRecords, writeProcessRecord } from "../store/openclaw/process-records.ts";

/** A process that runs OpenClaw patched from memory. */
export interface Running {
  readonly root: string;
  readonly release: string;
  readonly patchSet: string;
  readonly pid: number;
  /** When OpenClaw's first file was loaded, in milliseconds since 1970. */
  readonly since: number;
}

function runningFolder(state: string): string {
  return join(state, "integrity", "running");
}

/** Records this process, and removes the record when the process exits. Throws what the file system throws. */
export function recordRunning(state: string, one: Pick<Running, "root" | "release" | "patchSet">): void {
  const file = writeProcessRecord(runningFolder(state), one);
  process.once("exit", () => {
    try {
      rmSync(file, { force: true });
    } catch {
      // A record that stays names a process that is gone.
    }
  });
}

/** The processes of these state directories that run OpenClaw patched from memory now. Never throws. */
export function runningNow(states: readonly string[]): readonly Running[] {
  return states.flatMap((state) =>
    readProcessRecords(runningFolder(state)).flatMap(({ root, release, patchSet, pid, since }) =>
      typeof root === "string" && typeof release === "string" && typeof patchSet === "string"
        ? [{ root, release, patchSet, pid, since }]
        : [],
    ),
  );
}
