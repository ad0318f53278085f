/** The one file that is added to OpenClaw: its path, its exports, and its stand-in during a swap. */
import { dirname, relative } from "node:path/posix";

/**
 * Path of the guard in the package. In dist, because dist is the folder that OpenClaw copies to other machines (its
 * cloud nodes); write/inventory.ts enters it into OpenClaw's list of dist, or its postinstall would delete the guard.
 */
export const GUARD_FILE = "dist/openclaw-integrity.mjs";

/** The functions that the inserted lines call, each with the declaration that a patched checkout of sources gets. */
export const GUARD_EXPORTS = {
  archiveBeforeReset: `/** Copies a transcript before a reset deletes it; throws when it cannot, so that the transcript is not deleted. */
export function archiveBeforeReset(file: string | undefined): void;`,
  freeDeadLock: `/** Removes the lock file of a process that is gone. Never throws. */
export function freeDeadLock(lockFile: string): Promise<void>;`,
  guardHistory: `/** Makes the loaded history of a session valid, every result after its call. Never throws. */
export function guardHistory(session: object, context: GuardContext): Promise<void>;`,
  guardSession: `/** Checks the limited history, and every request body of this session before it is sent. Never throws. */
export function guardSession(session: object, context: GuardContext): void;`,
  indexOutOfOrder: `/** Replaces a part of the index of a session that is out of order. */
export function indexOutOfOrder<Otherwise>(otherwise: Otherwise): Otherwise;`,
  loadTranscript: `/** Gives loaded rows of a session in a form that OpenClaw accepts. Never throws. */
export function loadTranscript<Loaded extends object>(loaded: Loaded): Loaded;`,
  noteAccepted: `/** Keeps a message through a kill until OpenClaw is done with it; resolves when its dispatch may begin. Never throws. */
export function noteAccepted(dispatch: object, ticket?: unknown): Promise<void>;`,
  repairSessionFile: `/** Repairs a transcript file before it is opened; the file is copied before it is replaced. Never throws. */
export function repairSessionFile(file: string, attempt?: unknown): Promise<void>;`,
  whenIndexed: `/** Waits for the index of a session, instead of failing the turn. */
export function whenIndexed<Read>(read: Read): Read;`,
  whenReadable: `/** Waits until a session can be read. Never throws. */
export function whenReadable(read: () => unknown): Promise<void>;`,
} as const;

/** The name of a function that an inserted line calls. */
export type GuardExport = keyof typeof GUARD_EXPORTS;

const WAITING_MARK = "/* openclaw-integrity:waiting */";

/**
 * The stand-in for the guard while files are swapped, and after a kill in the middle: its functions do nothing, so
 * OpenClaw behaves as unpatched, whichever files have their lines already. One rename, of the real guard over it, turns
 * the patch on.
 */
export const WAITING_GUARD = `${WAITING_MARK}
console.error("[openclaw-integrity] the patch was interrupted and is off; run: openclaw-integrity apply");
const pass = (value) => value;
${Object.keys(GUARD_EXPORTS)
  .map((name) => `export const ${name} = pass;`)
  .join("\n")}
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
