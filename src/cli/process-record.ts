/** Processes as files record them: ids alone are used again. */
import { isAlive, isProcessId, readProcessStart } from "../base/processes.ts";

/** A process: its id, and when it began, in milliseconds since 1970, where the system tells. */
export interface ProcessRecord {
  readonly pid: number;
  readonly start?: number;
}

/** Clocks of processes are read with this precision. */
const SAME_START_MS = 2000;

/** Returns what a file records of a process that runs. */
export function recordProcess(pid: number): ProcessRecord {
  const start = readProcessStart(pid);
  return { pid, ...(start !== undefined && { start }) };
}

/** Returns the process that a value records; undefined where it records none. */
export function parseProcess(value: unknown): ProcessRecord | undefined {
  const { pid, start } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return isProcessId(pid) ? { pid, ...(typeof start === "number" && { start }) } : undefined;
}

/** Whether the very process still runs. */
export function isStillRunning({ pid, start }: ProcessRecord): boolean {
  const now = readProcessStart(pid);
  return isAlive(pid) && (start === undefined || now === undefined || Math.abs(now - start) < SAME_START_MS);
}
