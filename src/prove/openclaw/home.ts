/** The temporary home of a proof. */
import { lstatSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describeError } from "../../base/coded-error.ts";
import { hasRoomForSockets } from "./sockets.ts";

const BY_OTHERS = 0o022;
const STICKY = 0o1000;
const PREFIX = "openclaw-integrity-proof-";

/**
 * Makes a home that only its user can enter: in the temporary folder, or in `/tmp` where that one cannot be written, is
 * another user's to change, or has too long a path for sockets. Throws when neither will do.
 */
export function makeHome(): string {
  const isWindows = process.platform === "win32";
  const found: string[] = [];
  for (const folder of new Set([tmpdir(), ...(isWindows ? [] : ["/tmp"])]))
    try {
      const prefix = join(realpathSync(folder), PREFIX);
      if (isWindows) return mkdtempSync(prefix);
      if (!isOwn(dirname(prefix))) found.push(`${folder}, which another user can change`);
      else if (!hasRoomForSockets(`${prefix}XXXXXX`)) found.push(`${folder}, whose path is too long`);
      else return mkdtempSync(prefix);
    } catch (error) {
      found.push(describeError(error));
    }
  const expected = "a temporary folder with a short path, which this user can write and no other can change";
  throw new Error(`expected ${expected}; found ${found.join("; ")}. Set TMPDIR to one`);
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
