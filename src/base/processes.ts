/** Ids and life of processes. In a container only the ids of its own namespace mean something. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** process.kill takes no larger id. */
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
 * When this process began, in milliseconds since 1970. A record with the id of this process that is older was written
 * by an earlier process.
 */
export function processStart(): number {
  return Date.now() - process.uptime() * 1000;
}

/** What the clock may be corrected by without a jump. */
const STEADY_MS = 500;

/**
 * Whether the wall clock has run without a jump since this process began: nobody has set it, and the machine was not
 * suspended. Only then a time is inside or outside of this process's life.
 */
export function hasSteadyClock(): boolean {
  return Math.abs(processStart() - performance.timeOrigin) < STEADY_MS;
}

/** Linux counts the starts of processes in this unit on every platform. */
const TICKS_PER_SECOND = 100;

/**
 * When the process with this id began, in milliseconds since 1970 by the present clock; undefined where there is none,
 * and where the system does not tell (Linux does).
 */
export function readProcessStart(pid: number): number | undefined {
  const ticks = readBirth(pid);
  if (ticks === undefined) return undefined;
  try {
    const boot = Number(/^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1]);
    const start = (boot + Number(ticks) / TICKS_PER_SECOND) * 1000;
    return Number.isFinite(start) ? start : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The start of a process in the system's own count, by which a reused process id is known; undefined as with
 * {@link readProcessStart}.
 */
export function readBirth(pid: number): string | undefined {
  return readStat(pid)?.[BIRTH];
}

/** A process as a file records it: ids alone are used again. `birth` is missing where the system does not tell it. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly birth?: string;
}

/** Returns what a file records of a process that runs. */
export function identifyProcess(pid: number): ProcessIdentity {
  const birth = readBirth(pid);
  return { pid, ...(birth !== undefined && { birth }) };
}

/** Returns the process that a value records; undefined where it records none. */
export function parseProcess(value: unknown): ProcessIdentity | undefined {
  const { pid, birth } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return isProcessId(pid) ? { pid, ...(typeof birth === "string" && { birth }) } : undefined;
}

/** Whether the very process still runs. */
export function isStillRunning({ pid, birth }: ProcessIdentity): boolean {
  return isAlive(pid) && (birth === undefined || birth === readBirth(pid));
}

/** How long a process has computed, in milliseconds; undefined as with {@link readProcessStart}. */
export function readProcessorTime(pid: number): number | undefined {
  const stat = readStat(pid);
  const ticks = Number(stat?.[USER_TIME]) + Number(stat?.[SYSTEM_TIME]);
  return Number.isFinite(ticks) ? (ticks / TICKS_PER_SECOND) * 1000 : undefined;
}

// Places behind the name of the program.
const USER_TIME = 11;
const SYSTEM_TIME = 12;
const BIRTH = 19;

function readStat(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in brackets, may contain anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** Whether a process has this file open; undefined where the system does not tell. The path must contain no links. */
export function hasOpen(pid: number, file: string): boolean | undefined {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => linkAt(join(folder, name)) === file);
  } catch {
    return undefined;
  }
}

/** Returns where a link leads; undefined for none, as of a file that was closed since. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
