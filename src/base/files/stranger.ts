/**
 * Tells whether another user of the machine decides what is at a path that a command reads, loads or starts. The owner
 * of this program's own files, and of the Node that runs it, is no other user: they could change what runs already.
 */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { stepsTo, type PathStep } from "./path-steps.ts";
import { isPosix, whoShares } from "./who-shares.ts";

/**
 * Environment variable: folders, separated as in PATH, whose content is trusted whoever can change it. What lies above
 * them is trusted for them too.
 */
export const TRUSTED_FOLDERS = "OPENCLAW_INTEGRITY_TRUSTED_FOLDERS";

/** A place on the way to a path that another user, a stranger, owns or can change. */
export interface Stranger {
  readonly path: string;
  /** Who decides there, in words: `belongs to user 1002`. */
  readonly who: string;
  /** What the user can do about it, as a sentence without its end: `Run chmod go-w on it`. */
  readonly todo: string;
}

/**
 * Returns the first place on the way to a path, its links included, or at its end, that another user owns or could
 * change. Root, the user of this process, the one who has called `sudo`, and the owners of this program and of Node do
 * not count as other users. A place in or above one of the {@link TRUSTED_FOLDERS} that contain the path is passed
 * over. Undefined where there is none, and on Windows, which reports no owners. Access lists are not read. Throws what
 * the file system throws before the end of the path, unless there is such a place above.
 */
export function strangerAt(path: string): Stranger | undefined {
  if (!isPosix()) return undefined;
  const users = trustedUsers();
  const strangers: Stranger[] = [];
  let reached = resolve(path);
  let failure: { readonly error: unknown } | undefined;
  try {
    for (const step of stepsTo(reached)) {
      reached = step.path;
      strangers.push(...strangersIn(step, users));
    }
  } catch (error) {
    failure = { error };
  }
  const trusted = trustedFolders().filter((folder) => isIn(reached, folder));
  // What lies above a trusted folder is trusted for what is in it: TRUSTED_FOLDERS.
  const stranger = strangers.find((one) => !trusted.some((folder) => isIn(one.path, folder) || isIn(folder, one.path)));
  // A folder that cannot be entered, below a stranger's place: that place is the answer.
  if (failure !== undefined && stranger === undefined) throw failure.error;
  return stranger;
}

function strangersIn({ path, stat }: PathStep, users: ReadonlySet<number>): readonly Stranger[] {
  if (!users.has(stat.uid)) return [{ path, who: `belongs to user ${stat.uid}`, todo: "Remove it if nobody needs it" }];
  const who = stat.isSymbolicLink() ? undefined : whoShares(path, stat, users);
  return who === undefined ? [] : [{ path, who: `can be changed by ${who}`, todo: "Run chmod go-w on it" }];
}

function trustedUsers(): ReadonlySet<number> {
  const euid = process.geteuid?.() ?? 0;
  const caller = process.env["SUDO_UID"] ?? "";
  const runningFiles = [process.execPath, fileURLToPath(import.meta.url)];
  return new Set([
    0,
    euid,
    ...(euid === 0 && /^\d{1,10}$/.test(caller) ? [Number(caller)] : []),
    ...runningFiles.flatMap((file) => statSync(file, { throwIfNoEntry: false })?.uid ?? []),
  ]);
}

function trustedFolders(): readonly string[] {
  const named = (process.env[TRUSTED_FOLDERS] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return named.filter((folder) => lstatSync(folder, { throwIfNoEntry: false })).map((folder) => realpathSync(folder));
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
