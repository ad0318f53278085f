import { readFileSync, rmSync, statSync } from "node:fs";
import { isAlive, isProcessId, processStart } from "../../base/processes.ts";
import { isObject } from "../../transcript/json/json.ts";
import { logFailure, logLine } from "../base/log.ts";
import { isEnabled } from "../base/switch.ts";

/** OpenClaw holds the lock for one write; a younger one may be another process's whose id cannot be seen from here. */
const OLD_MS = 1000;

/**
 * Stands where OpenClaw (to 2026.2.9) waits for the lock of sessions.json: one whose process was killed is respected
 * for thirty seconds, and every message until then fails after ten. It is removed when its process is gone. Never
 * throws. Issue 5, chaos.
 */
export function freeDeadLock(lock: string): void {
  if (!isEnabled()) return;
  try {
    if (!isDead(lock)) return;
    rmSync(lock, { force: true });
    logLine(`removed ${lock}, which a process that was killed had left behind`);
  } catch (error) {
    logFailure("session lock", error, "OpenClaw waits for it");
  }
}

function isDead(lock: string): boolean {
  const found = statSync(lock, { throwIfNoEntry: false });
  if (found === undefined || Date.now() - found.mtimeMs < OLD_MS) return false;
  const text = readFileSync(lock, "utf8");
  // Its process was killed before it had written its id.
  if (text === "") return true;
  const owner: unknown = JSON.parse(text);
  if (!isObject(owner) || !isProcessId(owner.pid)) return false;
  // In a container the gateway gets the same id at each start: a lock older than this process is its predecessor's.
  if (owner.pid === process.pid) return found.mtimeMs < processStart();
  return !isAlive(owner.pid);
}
