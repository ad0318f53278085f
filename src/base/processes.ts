/** Whether other processes of this machine run. Within a container only the container's own ids mean something. */

/** The largest number that an id of a process can be, on every platform. */
const LARGEST_ID = 2 ** 31 - 1;

/** Whether that can be the id of a process. 0 and less name groups of processes. */
export function isProcessId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= LARGEST_ID;
}

/**
 * Whether a process with this id runs, under whatever user; false also for a number that no process can have as its id.
 * True says nothing about which process: ids are given again, and in a container to each start of the same program.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** When this process began, in milliseconds since 1970; what is older and names its id is from a process before it. */
export function processStart(): number {
  return Date.now() - process.uptime() * 1000;
}
