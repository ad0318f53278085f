/** A lock between processes: a folder that only one can make. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../../base/processes.ts";

const POLL_MS = 250;
/** A lock whose owner wrote no name into it by then died on the way. */
const NAMELESS_MS = 10_000;

/** Runs `work` while no other process holds the lock at `path`; waits for it, and takes over from a dead owner. */
export async function withLock<Value>(
  path: string,
  work: () => Value | Promise<Value>,
  onWait: () => void = () => undefined,
): Promise<Value> {
  let told = false;
  while (!take(path)) {
    if (isStale(path) && removeStale(path)) continue;
    if (!told) onWait();
    told = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  try {
    return await work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

function take(path: string): boolean {
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
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && Date.now() - made > NAMELESS_MS;
  }
}

/** Moves the lock away before it is removed: between look and removal another process may have taken it over. */
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
