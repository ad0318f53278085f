/**
 * The records of processes that run OpenClaw patched from memory: `integrity/running/<pid>.json` in its state
 * directory. `status` reads them. They are written by the processes themselves, and prove nothing once the process is
 * gone.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, replaceFile } from "../base/files/index.ts";
import { isAlive, isProcessId, processStart } from "../base/processes.ts";
import { readJsonObject } from "../base/read-json-object.ts";

/** A process that runs OpenClaw patched from memory. */
export interface Running {
  readonly root: string;
  readonly release: string;
  readonly patchSet: string;
  readonly pid: number;
  /** When OpenClaw's first file was loaded, in milliseconds since 1970. */
  readonly since: number;
  /** When the system started the process, in its own count; undefined where the system does not tell. */
  readonly birth?: string;
}

function runningFolder(state: string): string {
  return join(state, "integrity", "running");
}

/** Records this process, and removes the record when the process exits. Throws what the file system throws. */
export function recordRunning(state: string, one: Pick<Running, "root" | "release" | "patchSet">): void {
  const folder = runningFolder(state);
  makeFolder(folder);
  forgetDead(state);
  const file = join(folder, `${process.pid}.json`);
  const birth = readBirth(process.pid);
  const record: Running = { ...one, pid: process.pid, since: processStart(), ...(birth !== undefined && { birth }) };
  replaceFile(file, `${JSON.stringify(record)}\n`, { mode: 0o600, last: "replace" });
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
  return states.flatMap((state) => records(state).filter(isSame));
}

function isSame({ pid, birth }: Running): boolean {
  return isAlive(pid) && (birth === undefined || readBirth(pid) === birth);
}

function forgetDead(state: string): void {
  for (const one of records(state))
    if (!isSame(one)) rmSync(join(runningFolder(state), `${one.pid}.json`), { force: true });
}

function records(state: string): readonly Running[] {
  try {
    return readdirSync(runningFolder(state)).flatMap((name) => readRecord(join(runningFolder(state), name)) ?? []);
  } catch {
    return [];
  }
}

function readRecord(file: string): Running | undefined {
  const { root, release, patchSet, pid, since, birth } = readJsonObject(file) ?? {};
  if (typeof root !== "string" || typeof release !== "string" || typeof patchSet !== "string") return undefined;
  if (!isProcessId(pid) || typeof since !== "number" || !file.endsWith(`${pid}.json`)) return undefined;
  return { root, release, patchSet, pid, since, ...(typeof birth === "string" && { birth }) };
}

/** The start time of a process, by which a reused process id is known; undefined where the system does not tell. */
function readBirth(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, may have spaces; field 22 counts from before it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
