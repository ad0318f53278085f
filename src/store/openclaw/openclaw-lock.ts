/**
 * OpenClaw's own lock files, `<file>.lock` next to a transcript or to sessions.json (to 2026.7): JSON with the pid of
 * the process that works on the file. A gateway holds that of a transcript while it answers in that session.
 */
import { randomBytes } from "node:crypto";
import { constants, copyFileSync, existsSync, linkSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Folder } from "../../base/files/index.ts";
import { hasOpen, isAlive, readProcessStart } from "../../base/processes.ts";
import { hasCode, storeError, type StoreError } from "../errors.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";
import { readJsonObject } from "../../base/read-json-object.ts";

const POLL_MS = 50;
/**
 * A lock file without a pid is being written, or stays without one on a full disk, or was left behind. OpenClaw up to
 * 2026.2.9 respects that of sessions.json for as long.
 */
const NAMELESS_MS = 30_000;
/** OpenClaw 2026.2.3 removes the lock of a transcript that is older than this, whoever has it. */
const RESPECTED_MS = 30 * 60_000;
/** Starts of processes are known to the second. */
const START_MARGIN_MS = 2000;

/**
 * Runs `work` while holding the lock of `file`. Waits up to `timeoutMs` for another living process; the lock of a dead
 * one is removed, as OpenClaw does. Throws `session-busy`, or `not-writable` when the lock cannot be made.
 */
export function withLock<Value>(file: string, timeoutMs: number, work: () => Value): Value {
  // Opened once, so that the lock is made and removed in the same folder even if another one is put in its place.
  const folder = unlessUnwritable(file, () => new Folder(realpathSync(dirname(file))));
  const lock = folder.at(`${basename(file)}.lock`);
  try {
    const deadline = Date.now() + timeoutMs;
    while (!unlessUnwritable(file, () => takeLock(lock))) {
      if (isLeftBehind(lock)) rmSync(lock, { force: true });
      else if (Date.now() >= deadline) throw busy(file);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    }
    try {
      return work();
    } finally {
      rmSync(lock, { force: true });
    }
  } finally {
    folder.close();
  }
}

/** Removes the lock of `file` unless a living process has it. Throws `session-busy` and `not-writable`. */
export function freeLock(file: string): void {
  withLock(file, 0, () => undefined);
}

/** Throws `session-busy` when a living process has the lock of `file`. */
export function assertUnlocked(file: string): void {
  const lock = `${file}.lock`;
  if (statSync(lock, { throwIfNoEntry: false }) !== undefined && !isLeftBehind(lock)) throw busy(file);
}

/**
 * Whether the lock of a transcript was left behind by a process whose id another process has now: OpenClaw to 2026.2
 * takes that one for the owner, and refuses every message until the lock is half an hour old. In a container the
 * gateway itself has the id of the one that was killed. False for a lock that OpenClaw removes by itself.
 */
export function isStuck(file: string): boolean {
  const lock = `${file}.lock`;
  // A list of sessions asks for each of them.
  const owner = existsSync(lock) ? readOwner(lock) : undefined;
  return owner !== undefined && isReused(lock, owner) && Date.now() - owner.createdAt < RESPECTED_MS;
}

function unlessUnwritable<Value>(file: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw storeError(
      "not-writable",
      refusedByDisk(error, {
        expected: `to make the lock ${file}.lock`,
        asOwner: "Run it as the user OpenClaw runs as, and make the folder writable.",
        ending: "The session was not changed.",
      }),
    );
  }
}

function takeLock(lock: string): boolean {
  // Written under another name and then linked: a kill between creating and writing the lock would leave one without a
  // pid, which is respected for half a minute.
  const draft = `${lock}.integrity-${randomBytes(8).toString("hex")}.tmp`;
  try {
    const now = new Date();
    // OpenClaw's locks of transcripts have `createdAt`, those of sessions.json `startedAt`.
    writeFileSync(draft, JSON.stringify({ pid: process.pid, createdAt: now.toISOString(), startedAt: now.getTime() }), {
      flag: "wx",
      mode: 0o600,
    });
    putInPlace(draft, lock);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Puts the lock in place. Throws EEXIST when there is one already. */
function putInPlace(draft: string, lock: string): void {
  try {
    linkSync(draft, lock);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].some((code) => hasCode(error, code))) throw error;
    // A file system without hard links.
    copyFileSync(draft, lock, constants.COPYFILE_EXCL);
  }
}

function isLeftBehind(lock: string): boolean {
  const owner = readOwner(lock);
  if (owner !== undefined) return !isAlive(owner.pid) || isReused(lock, owner);
  const madeAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  return madeAt !== undefined && Date.now() - madeAt > NAMELESS_MS;
}

interface Owner {
  readonly pid: number;
  /** NaN where the lock does not tell. */
  readonly createdAt: number;
  /** Later releases write down when the owner began, and see by themselves that its id was given to another process. */
  readonly hasStart: boolean;
}

function readOwner(lock: string): Owner | undefined {
  const { pid, createdAt, starttime } = readJsonObject(lock) ?? {};
  if (typeof pid !== "number" || pid <= 0) return undefined;
  return {
    pid,
    createdAt: typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN,
    hasStart: starttime !== undefined,
  };
}

/**
 * Whether the process with the owner's id began after the lock was made. A clock that was put forward makes it look so:
 * OpenClaw has a lock open for as long as it holds it.
 */
function isReused(lock: string, { pid, createdAt, hasStart }: Owner): boolean {
  if (hasStart) return false;
  const start = readProcessStart(pid);
  return start !== undefined && start - createdAt > START_MARGIN_MS && hasOpen(pid, realLock(lock)) === false;
}

/** A folder that is held open has a path of its own. */
function realLock(lock: string): string {
  try {
    return realpathSync(lock);
  } catch {
    return lock;
  }
}

function busy(file: string): StoreError {
  return storeError("session-busy", {
    expected: `nobody at work on ${file}`,
    found: `process ${readOwner(`${file}.lock`)?.pid ?? "(unknown)"}, which has its lock (${file}.lock)`,
    todo: "Wait until OpenClaw has answered, or stop the gateway, and run it again. Nothing was changed.",
  });
}
