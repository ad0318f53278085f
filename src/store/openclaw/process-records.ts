/** Files `<pid>.json` in one folder: what processes say of themselves, which means nothing once they are gone. */
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { makeFolder, replaceFile } from "../../base/files/index.ts";
import { identifyProcess, isStillRunning, parseProcess, processStart } from "../../base/processes.ts";
import { readJsonObject } from "../../base/read-json-object.ts";

/** What each process says. */
export interface ProcessRecord extends Readonly<Record<string, unknown>> {
  readonly pid: number;
  /** When it was started, in milliseconds since 1970. */
  readonly since: number;
}

/**
 * Writes what this process says of itself, and removes what processes have left that are gone. Returns the file. Throws
 * what the file system throws.
 */
export function writeProcessRecord(folder: string, said: object): string {
  makeFolder(folder);
  for (const file of filesIn(folder)) if (readLiving(file) === undefined) rmSync(file, { force: true });
  const record = { ...said, ...identifyProcess(process.pid), since: processStart() };
  const file = join(folder, `${process.pid}.json`);
  replaceFile(file, `${JSON.stringify(record)}\n`, { mode: 0o600, last: "replace" });
  return file;
}

/** What the processes say that are alive. Never throws. */
export function readProcessRecords(folder: string): readonly ProcessRecord[] {
  return filesIn(folder).flatMap((file) => readLiving(file) ?? []);
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+\.json$/.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The record in a file; undefined where its process is gone, and its id perhaps another one's. */
function readLiving(file: string): ProcessRecord | undefined {
  const record = readJsonObject(file) ?? {};
  const { since } = record;
  const one = parseProcess(record);
  if (one === undefined || typeof since !== "number" || basename(file) !== `${one.pid}.json`) return undefined;
  return isStillRunning(one) ? { ...record, pid: one.pid, since } : undefined;
}
