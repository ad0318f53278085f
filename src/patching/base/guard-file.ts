/**
 * The one file that is added to OpenClaw: where it lies, what it must export, and what stands in for it during a swap.
 */
import { dirname, relative } from "node:path/posix";

/**
 * Its path in the package. In dist, because what OpenClaw copies elsewhere (its own cloud nodes) is dist; inventory.ts
 * enters it into OpenClaw's list of dist, or its postinstall would delete it.
 */
export const GUARD_FILE = "dist/openclaw-integrity.mjs";

/** What the inserted lines call. */
export const GUARD_EXPORTS: readonly string[] = [
  "archiveBeforeReset",
  "freeDeadLock",
  "guardHistory",
  "guardSession",
  "indexOutOfOrder",
  "loadTranscript",
  "repairSessionFile",
  "whenIndexed",
  "whenReadable",
];

const WAITING_MARK = "/* openclaw-integrity:waiting */";

/**
 * What lies in the guard's place while files are swapped, and after a kill in the middle: with it OpenClaw does what it
 * does unpatched, whichever of its files have their lines already. Putting the real guard over it is what turns the
 * patch on, and that is one rename.
 */
export const WAITING_GUARD = `${WAITING_MARK}
console.error("[openclaw-integrity] the patch was interrupted and is off; run: openclaw-integrity apply");
const pass = (value) => value;
${GUARD_EXPORTS.map((name) => `export const ${name} = pass;`).join("\n")}
`;

/** Whether a guard's text is the one of an unfinished swap, of whatever version. */
export function isWaiting(guard: string): boolean {
  return guard.startsWith(WAITING_MARK);
}

/** How a chunk imports the guard. */
export function guardImport(chunkFile: string): string {
  const path = relative(dirname(chunkFile), GUARD_FILE);
  return path.startsWith(".") ? path : `./${path}`;
}
