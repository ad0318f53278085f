/** A lock between processes: a folder that only one can make. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../../base/processes.ts";

const POLL_MS = 250;
/** An owner that has not written its pid by then was killed before it could. */
const NAMELESS_MS = 10_000;

/** Runs `work` while holding the lock at `path`. Waits for other processes, and takes the lock over from a dead one. */
export async function withLock<Value>(
  path: string,
  work: () => Value | Promise<Value>,
  onWait: () => void = () => undefined,
): Promise<Value> {
  let hasWaited = false;
  while (!takeLock(path)) {
    if (isStale(path) && removeStale(path)) continue;
    if (!hasWaited) onWait();
    hasWaited = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  try {
    return await work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

function takeLock(path: string): boolean {
  try {
    mkdirSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
  writeFileSync(join(path, "pid"), String(process.pid));
  return true;
}

function isStale(path: string): boolean {
  try {
    const pid = Number(readFileSync(join(path, "pid"), "utf8"));
    return pid > 0 && !isAlive(pid);
  } catch {
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return madeAt !== undefined && Date.now() - madeAt > NAMELESS_MS;
  }
}

/** Moves the lock away before it is removed: another process may take it over between the check and the removal. */
function removeStale(path: string): boolean {
  const aside = `${path}.stale-${randomBytes(8).toString("hex")}`;
  try {
    renameSync(path, aside);
    if (isStale(aside)) rmSync(aside, { recursive: true, force: true });
    else renameSync(aside, path);
    return true;
  } catch {
    return false;
  }
}
