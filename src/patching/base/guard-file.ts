/** The one file that is added to OpenClaw: its path, its exports, and its stand-in during a swap. */
import { dirname, relative } from "node:path/posix";

/**
 * Path of the guard in the package. In dist, because dist is the folder that OpenClaw copies to other machines (its
 * cloud nodes); inventory.ts enters the guard into OpenClaw's list of dist, or its postinstall would delete the guard.
 */
export const GUARD_FILE = "dist/openclaw-integrity.mjs";

/** The functions that the inserted lines call. */
export const GUARD_EXPORTS: readonly string[] = [
  "archiveBeforeReset",
  "freeDeadLock",
  "guardHistory",
  "guardSession",
  "indexOutOfOrder",
  "loadTranscript",
  "noteAccepted",
  "repairSessionFile",
  "whenIndexed",
  "whenReadable",
];

const WAITING_MARK = "/* openclaw-integrity:waiting */";

/**
 * The stand-in for the guard while files are swapped, and after a kill in the middle: its functions do nothing, so
 * OpenClaw behaves as unpatched, whichever files have their lines already. One rename, of the real guard over it, turns
 * the patch on.
 */
export const WAITING_GUARD = `${WAITING_MARK}
console.error("[openclaw-integrity] the patch was interrupted and is off; run: openclaw-integrity apply");
const pass = (value) => value;
${GUARD_EXPORTS.map((name) => `export const ${name} = pass;`).join("\n")}
`;

/** Whether the text is the stand-in of an unfinished swap, of any version. */
export function isWaiting(guard: string): boolean {
  return guard.startsWith(WAITING_MARK);
}

/** The import path of the guard in a chunk. */
export function guardImport(chunkFile: string): string {
  const path = relative(dirname(chunkFile), GUARD_FILE);
  return path.startsWith(".") ? path : `./${path}`;
}
