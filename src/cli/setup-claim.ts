/** The claim of the setup that is at work: whoever looks at this machine is told of one that was killed. */
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { readJsonObject } from "../base/read-json-object.ts";
import { stateDirectory } from "../store/state-directory.ts";
import { isStillRunning, parseProcess, type ProcessIdentity } from "../base/processes.ts";

/** Of a claim whose process may not have written its id yet. */
const NAMELESS_MS = 10_000;

/** The process that has a claim: `unnamed` where it may just have begun, `none` where it was killed. */
export type ClaimOwner = ProcessIdentity | "unnamed" | "none";

/** The file that the setup at work has made. */
export function claimFile(): string {
  return join(stateDirectory(), "integrity", "setup.lock");
}

/** Reads whose claim a file is. */
export function readClaimOwner(file: string): ClaimOwner {
  const owner = parseProcess(readJsonObject(file));
  if (owner !== undefined) return isStillRunning(owner) ? owner : "none";
  const { mtimeMs } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && Date.now() - mtimeMs < NAMELESS_MS ? "unnamed" : "none";
}

/** Whether a setup was killed before its end, and none has run since. */
export function wasCutOff(): boolean {
  return existsSync(claimFile()) && readClaimOwner(claimFile()) === "none";
}
