import { existsSync, renameSync, statSync } from "node:fs";
import { timeInFileName } from "../base/time.ts";

/**
 * Renames a damaged journal to `<file>.damaged-<time>`, so that a new one can be created; deletes nothing. Returns the
 * new name; undefined when there is no file. The write-ahead log is renamed along: it belongs to that file and would
 * damage another one.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { setAside } from "openclaw-integrity/journal";
 *
 * const folder = mkdtempSync(join(tmpdir(), "journal-"));
 * const file = join(folder, "openclaw-integrity.sqlite");
 * writeFileSync(file, "no database");
 * assert.equal(setAside(file, Date.UTC(2026, 0, 31)), `${file}.damaged-2026-01-31T00-00-00-000Z`);
 * assert.equal(existsSync(file), false);
 * assert.equal(setAside(file), undefined); // nothing there any more
 * rmSync(folder, { recursive: true });
 * ```
 */
export function setAside(file: string, now: number = Date.now()): string | undefined {
  if (!existsSync(file)) return undefined;
  const name = `${file}.damaged-${timeInFileName(now)}`;
  let target = name;
  for (let more = 2; existsSync(target); more++) target = `${name}-${more}`;
  // The logs first: a kill in between leaves none of them beside a new file.
  for (const end of ["-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, target + end);
  renameSync(file, target);
  return target;
}

/** Returns the inode of the file with this name; undefined when there is none. */
export function fileIdentity(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/**
 * Runs {@link setAside} only if the file is still the one that was found damaged: another process may have created a
 * new one under its name meanwhile.
 */
export function setAsideSame(file: string, identity: number | undefined): string | undefined {
  return identity !== undefined && fileIdentity(file) === identity ? setAside(file) : undefined;
}
