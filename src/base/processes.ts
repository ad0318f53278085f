/** Ids and life of processes. In a container only the ids of its own namespace mean something. */

/** The largest id that a process has on every platform. */
const MAX_ID = 2 ** 31 - 1;

/** Whether a value can be the id of a process. 0 and negative numbers denote groups of processes. */
export function isProcessId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_ID;
}

/**
 * Whether a process with this id runs, under whatever user; false for what {@link isProcessId} refuses. True does not
 * identify the process: ids are reused, and in a container a program often gets the same id at each start.
 */
export function isAlive(pid: number): boolean {
  if (!isProcessId(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, under another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * When this process began, in milliseconds since 1970. A record with the id of this process that is older was written by
 * an earlier process.
 */
export function processStart(): number {
  return Date.now() - process.uptime() * 1000;
}
