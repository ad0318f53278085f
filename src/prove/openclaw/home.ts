/** The temporary home of a proof. */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describeError } from "../../base/coded-error.ts";
import { isAlive, readBirth } from "../../base/processes.ts";
import { hasRoomForSockets } from "./sockets.ts";

const BY_OTHERS = 0o022;
const STICKY = 0o1000;
const PREFIX = "openclaw-integrity-proof-";
/** Whose home it is: the id of its process, and when the system started that. */
const KEEPER = "keeper";
/** Longer than any proof takes. */
const LEFT_MS = 3_600_000;

/**
 * Makes a home that only its user can enter: in the temporary folder, or in `/tmp` where that one cannot be written, is
 * another user's to change, or has too long a path for sockets. Removes homes there that a killed proof has left.
 * Throws when neither will do.
 */
export function makeHome(): string {
  const isWindows = process.platform === "win32";
  const found: string[] = [];
  for (const folder of new Set([tmpdir(), ...(isWindows ? [] : ["/tmp"])]))
    try {
      const prefix = join(realpathSync(folder), PREFIX);
      removeLeft(dirname(prefix));
      if (isWindows) return makeOwned(prefix);
      if (!isOwn(dirname(prefix))) found.push(`${folder}, which another user can change`);
      else if (!hasRoomForSockets(`${prefix}XXXXXX`)) found.push(`${folder}, whose path is too long`);
      else return makeOwned(prefix);
    } catch (error) {
      found.push(describeError(error));
    }
  const expected = "a temporary folder with a short path, which this user can write and no other can change";
  throw new Error(`expected ${expected}; found ${found.join("; ")}. Set TMPDIR to one`);
}

function makeOwned(prefix: string): string {
  const home = mkdtempSync(prefix);
  writeFileSync(join(home, KEEPER), `${process.pid} ${readBirth(process.pid) ?? ""}`);
  return home;
}

/** A power failure, or a kill of all processes of a service at once, leaves a home with nobody to remove it. */
function removeLeft(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(PREFIX)))
    try {
      const home = join(folder, name);
      const stat = lstatSync(home);
      const isMine = stat.isDirectory() && (process.geteuid === undefined || stat.uid === process.geteuid());
      if (isMine && (Date.now() - stat.mtimeMs > LEFT_MS || isOfNobody(home)))
        rmSync(home, { recursive: true, force: true });
    } catch {
      // Another process removes it, or writes to it.
    }
}

/** Whether the process whose home it is has ended; false for one that has not written its id yet. */
function isOfNobody(home: string): boolean {
  const [pid, birth] = readFileSync(join(home, KEEPER), "utf8").split(" ");
  return !isAlive(Number(pid)) || (readBirth(Number(pid)) ?? "") !== birth;
}

/** Whether no other user can replace what this one makes in the folder. */
function isOwn(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const { uid, mode } = lstatSync(at);
    if (uid !== 0 && uid !== process.geteuid?.()) return false;
    if ((mode & BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
