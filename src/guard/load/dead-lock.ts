import { readFileSync, rmSync, statSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { hasSteadyClock, isAlive, isProcessId } from "../../base/processes.ts";
import { isObject, parsedJson } from "../../transcript/json/json.ts";
import { logFailure, logLine } from "../base/log.ts";
import { isEnabled } from "../base/switch.ts";

/** OpenClaw holds the lock for one write. A younger lock may belong to a process that is not visible from here. */
const MIN_AGE_MS = 1000;
/** OpenClaw up to 2026.2.9 itself removes a lock that is older, whoever has it. */
const RESPECTED_MS = 30_000;
const POLL_MS = 50;

/** A lock as it is found. Two findings of equal `key` are of the same lock. */
interface Found {
  readonly key: string;
  readonly owner: "gone" | "unknown" | "may live";
  readonly ageMs: number;
}

/** The key of the nameless lock that was logged last: many calls wait for the same one, and one line tells of it. */
const logged = new Set<string>();

/**
 * Removes the lock of sessions.json when the process that took it is gone. OpenClaw up to 2026.2.9 respects the lock of
 * a killed process for thirty seconds, and each message until then fails after ten.
 *
 * A lock without a process id does not tell whether its process is gone: OpenClaw creates the lock, then writes the id,
 * and goes on where that write fails. So on a full disk the lock of a living process stays empty. The guard waits for
 * such a lock as long as OpenClaw respects it, before OpenClaw counts its ten seconds: the message is late and does not
 * fail. Never rejects.
 */
export async function freeDeadLock(lock: string): Promise<void> {
  if (!isEnabled()) return;
  try {
    const found = look(lock);
    if (found === undefined || found.owner === "may live") return;
    const isGone = found.owner === "gone";
    if (!isGone && found.ageMs > MIN_AGE_MS) tellOfNameless(lock, found);
    if (!(await staysFor(lock, found, isGone ? MIN_AGE_MS : RESPECTED_MS))) return;
    rmSync(lock, { force: true });
    logLine(
      isGone
        ? `removed ${lock}, which a killed process had left behind`
        : `removed ${lock}, which names no process and has not changed for ${RESPECTED_MS / 1000} s`,
    );
  } catch (error) {
    logFailure("session lock", error, "OpenClaw waits for the lock");
  }
}

/**
 * Waits until the lock is this old. False when it is released or written before that. A lock from the future, which a
 * clock that was set back leaves, has to be seen here for as long.
 */
async function staysFor(lock: string, found: Found, ms: number): Promise<boolean> {
  const since = performance.now() - Math.max(found.ageMs, 0);
  while (performance.now() - since < ms) {
    await after(POLL_MS);
    if (look(lock)?.key !== found.key) return false;
  }
  return true;
}

function look(lock: string): Found | undefined {
  try {
    const { ino, mtimeMs } = statSync(lock);
    const text = readFileSync(lock, "utf8");
    return { key: `${ino}:${mtimeMs}:${text}`, owner: ownerIn(text), ageMs: Date.now() - mtimeMs };
  } catch (error) {
    if (isObject(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function ownerIn(text: string): Found["owner"] {
  const owner = parsedJson(text);
  if (!isObject(owner) || !isProcessId(owner.pid)) return "unknown";
  const isGone = owner.pid === process.pid ? isPredecessors(owner.startedAt) : !isAlive(owner.pid);
  return isGone ? "gone" : "may live";
}

/**
 * True for a lock with the id of this process that this process cannot have made. In a container the gateway gets the
 * same id at each start. A clock that jumps makes the process's own lock look older or younger than it is.
 */
function isPredecessors(startedAt: unknown): boolean {
  if (typeof startedAt !== "number" || !hasSteadyClock()) return false;
  return startedAt < performance.timeOrigin || startedAt > Date.now() + MIN_AGE_MS;
}

function tellOfNameless(lock: string, { key }: Found): void {
  if (logged.has(key)) return;
  logged.clear();
  logged.add(key);
  logLine(
    `${lock} names no process: one that was killed has left it, or a living one could not write into it ` +
      `(a full or slow disk). Messages wait for it, at most ${RESPECTED_MS / 1000} s`,
  );
}
