import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { GitPlace } from "../git/git.ts";
import type { Records } from "../records/records.ts";

/**
 * Options with which git ends only when a pack that it writes is on the disk: objects that the pack holds are deleted
 * then. A git that is too old for these options always waits.
 */
export const FLUSHED = ["-c", "core.fsync=objects,derived-metadata"];

const FLUSHED_AT = "flushed-at";
/** Times of files come from a coarser clock than the process's. */
const MARGIN_MS = 1000;

/**
 * Waits until what captures have stored since the last flush is on the disk, and returns those files' paths. Captures
 * do not wait; a move does, before it overwrites files whose only other copy is in the store. The caller holds the
 * workspace's lock. Rejects with what the file system throws. On Windows it does not wait.
 */
export async function flushObjects({ repository }: GitPlace, records: Records): Promise<string[]> {
  const now = Date.now();
  const known = Number(records.fact(FLUSHED_AT) ?? 0);
  // A clock that was set back says nothing of what is on the disk.
  const since = known > now ? 0 : known;
  const objects = join(repository, "objects");
  const flushed: string[] = [];
  for (const entry of await readdir(objects, { withFileTypes: true })) {
    const folder = join(objects, entry.name);
    // A folder's time is that of its last new entry.
    if (!entry.isDirectory() || (await stat(folder)).mtimeMs < since) continue;
    for (const name of await readdir(folder)) {
      const file = join(folder, name);
      const found = await stat(file);
      if (!found.isFile() || found.ctimeMs < since) continue;
      await flush(file);
      flushed.push(file);
    }
    await flush(folder);
  }
  await flush(objects);
  records.setFact(FLUSHED_AT, String(now - MARGIN_MS));
  return flushed;
}

/** Waits until a file's content, or the names in a folder, are on the disk. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Windows flushes only what was opened for writing, which objects are not.
    if (process.platform !== "win32") throw error;
  } finally {
    await handle.close();
  }
}
