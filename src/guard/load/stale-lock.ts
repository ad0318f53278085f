import { readFileSync, rmSync, statSync } from "node:fs";
import { isAlive, isProcessId, processStart } from "../../base/processes.ts";
import { isObject } from "../../transcript/json/json.ts";
import { logFailure, logLine } from "../base/log.ts";
import { isEnabled } from "../base/switch.ts";

/** OpenClaw holds the lock for one write. A younger lock may belong to a process that is not visible from here. */
const MIN_AGE_MS = 1000;

/**
 * Removes the lock of sessions.json when the process that took it is gone. OpenClaw up to 2026.2.9 respects the lock of
 * a killed process for thirty seconds, and each message until then fails after ten. Never throws.
 */
export function freeDeadLock(lock: string): void {
  if (!isEnabled()) return;
  try {
    if (!isDead(lock)) return;
    rmSync(lock, { force: true });
    logLine(`removed ${lock}, which a killed process had left behind`);
  } catch (error) {
    logFailure("session lock", error, "OpenClaw waits for the lock");
  }
}

function isDead(lock: string): boolean {
  const found = statSync(lock, { throwIfNoEntry: false });
  if (found === undefined || Date.now() - found.mtimeMs < MIN_AGE_MS) return false;
  const text = readFileSync(lock, "utf8");
  // An empty lock: its process was killed before it had written its id.
  if (text === "") return true;
  const owner: unknown = JSON.parse(text);
  if (!isObject(owner) || !isProcessId(owner.pid)) return false;
  // In a container the gateway gets the same id at each start: a lock older than this process is its predecessor's.
  if (owner.pid === process.pid) return found.mtimeMs < processStart();
  return !isAlive(owner.pid);
}
