/** Whether an OpenClaw is patched and, if not, what became of the patch: in one sentence, by reading only. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { manifestIn } from "./find/package.ts";
import { GUARD_FILE, isWaiting } from "./base/guard-file.ts";
import { isMarked, unmark } from "./base/marks.ts";
import { type AppliedPatch, entryOf, readRecord } from "./write/record.ts";

/** What became of the patch. */
export type Fate =
  /** It is in place. */
  | "patched"
  /** Only a part of it is in place: apply or revert was interrupted. OpenClaw runs as if it were not patched. */
  | "half-patched"
  /** It was in place, and an update of OpenClaw to another release took it away. */
  | "updated"
  /** It was in place, and installing the same release anew took it away. */
  | "reinstalled"
  /** Nothing is known of it ever having been in place. */
  | "never";

/** The answer, for programs and for people. */
export interface PatchState {
  readonly root: string;
  readonly release: string;
  readonly fate: Fate;
  readonly sentence: string;
  /** The patch set that is in place. */
  readonly patchSet?: string;
  /** When it was put there, in milliseconds since 1970: a process that is older runs without it. */
  readonly since?: number;
}

/**
 * Tells whether the OpenClaw in `root` is patched, from what lies there and from the record of patched installations.
 * Looks for our file and our marks only; whether every byte is right is what verify() checks. Never throws, writes
 * nothing. `places`: where it was found before symbolic links were resolved.
 */
export function patchState(
  root: string,
  places: readonly string[] = [root],
  env: NodeJS.ProcessEnv = process.env,
): PatchState {
  const release = manifestIn(root)?.version ?? "unknown";
  const guard = textOf(join(root, GUARD_FILE));
  if (guard !== undefined && isWaiting(guard)) {
    const sentence = `OpenClaw ${release} is patched in part only, and the patch is off. Run: openclaw-integrity apply`;
    return { root, release, fate: "half-patched", sentence };
  }
  const marked = guard === undefined ? undefined : firstMarked(join(root, "dist"));
  if (marked !== undefined) {
    const patchSet = unmark(marked).header?.patchSet;
    return {
      root,
      release,
      fate: "patched",
      sentence: `OpenClaw ${release} is patched by openclaw-integrity.`,
      since: statSync(join(root, GUARD_FILE)).ctimeMs,
      ...(patchSet !== undefined && { patchSet }),
    };
  }
  const { fate, sentence } = fateWithout(root, release, entryOf(readRecord(env), root, places));
  return { root, release, fate, sentence: `${sentence} Run: openclaw-integrity apply` };
}

/** What the record says of an OpenClaw that is not patched now. */
export function fateWithout(
  root: string,
  release: string,
  entry: AppliedPatch | undefined,
): Pick<PatchState, "fate" | "sentence"> {
  if (entry === undefined) return { fate: "never", sentence: `OpenClaw ${release} is not patched.` };
  const when = changedAt(root);
  const changed = when === undefined ? "" : ` (package changed at ${when})`;
  if (entry.release === release) {
    return {
      fate: "reinstalled",
      sentence: `OpenClaw ${release} was installed anew${changed}, which took the patch away.`,
    };
  }
  const change = `OpenClaw was updated from ${entry.release} to ${release}${changed}`;
  return { fate: "updated", sentence: `${change}, and the update took the patch away.` };
}

/**
 * When the package was put there. Its modification time is the one in the tarball, so the time of change of its inode
 * tells.
 */
function changedAt(root: string): string | undefined {
  return statSync(join(root, "package.json"), { throwIfNoEntry: false })?.ctime.toISOString();
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function firstMarked(folder: string): string | undefined {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const text =
        entry.isFile() && /\.[cm]?js$/.test(entry.name) ? readFileSync(join(folder, entry.name), "utf8") : "";
      if (isMarked(text)) return text;
    }
  } catch {
    // No folder that could be read: nothing in it is ours.
  }
  return undefined;
}
