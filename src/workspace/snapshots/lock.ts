import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createMissing, makeFolder } from "../../base/files/index.ts";
import { nodeSqlite } from "../../base/sqlite/node-sqlite.ts";
import { workspaceError } from "../errors.ts";

const PAUSE_MS = 25;
/** How long a capture or a move waits for another one in the same workspace. */
const WAIT_MS = 30_000;

/** The last work on each folder in this process; the lock of the file tells processes apart only. */
const last = new Map<string, Promise<unknown>>();

/**
 * Runs `work` alone on a workspace's snapshots, among all processes. The lock is SQLite's lock on an empty file, which
 * the system frees when its process is killed. Rejects with `busy` when another holds it for too long, `unfit` in a
 * Node without SQLite, and with what `work` rejects with.
 */
export async function alone<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  const before = last.get(folder) ?? Promise.resolve();
  const mine = before.then(() => underLock(folder, work));
  const settled = mine.catch(() => undefined);
  last.set(folder, settled);
  void settled.then(() => {
    if (last.get(folder) === settled) last.delete(folder);
  });
  return mine;
}

async function underLock<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  const sqlite = nodeSqlite();
  if (!sqlite)
    throw workspaceError("unfit", {
      expected: "a Node with node:sqlite (22.13 or later)",
      found: `Node ${process.version}`,
      todo: "Use a newer Node. Moves go on without files.",
    });
  makeFolder(folder);
  const file = join(folder, "lock");
  createMissing(file);
  const database = new sqlite.DatabaseSync(file);
  try {
    for (
      const end = performance.now() + WAIT_MS;
      !isLocked(() => database.exec("BEGIN EXCLUSIVE"));
      await sleep(PAUSE_MS)
    )
      if (performance.now() > end)
        throw workspaceError("busy", {
          expected: "the snapshots of this workspace to be free",
          found: `another process working on them for ${WAIT_MS / 1000} s`,
          todo: "Try again.",
        });
    return await work();
  } finally {
    database.close();
  }
}

/** False when another process has the lock. */
function isLocked(begin: () => void): boolean {
  try {
    begin();
    return true;
  } catch (error) {
    // SQLITE_BUSY
    if ((error as { errcode?: unknown }).errcode === 5) return false;
    throw error;
  }
}
