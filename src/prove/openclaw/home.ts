/** The temporary home of a proof. */
import { lstatSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hasRoomForSockets } from "./sockets.ts";

const BY_OTHERS = 0o022;
const STICKY = 0o1000;
const PREFIX = "openclaw-integrity-proof-";

/**
 * Makes a home that only its user can enter: in the temporary folder, or in `/tmp` where that one is another user's to
 * change or its path too long for sockets. Throws when neither will do, and what the file system throws.
 */
export function makeHome(): string {
  const isWindows = process.platform === "win32";
  const folders = [tmpdir(), ...(isWindows ? [] : ["/tmp"])];
  for (const folder of folders) {
    const prefix = join(realpathSync(folder), PREFIX);
    if (isWindows || (isOwn(dirname(prefix)) && hasRoomForSockets(`${prefix}XXXXXX`))) return mkdtempSync(prefix);
  }
  throw new Error(
    `expected a temporary folder with a short path in which no other user can replace a folder; found ${folders.join(", ")}. Set TMPDIR to one`,
  );
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
