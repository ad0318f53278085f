/** Reports whether an OpenClaw is patched and, if not, what happened to the patch: in one sentence, by reading only. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { manifestIn } from "./find/package.ts";
import { GUARD_FILE, isWaiting } from "./base/guard-file.ts";
import { isMarked, unmark } from "./base/marks.ts";
import { type AppliedPatch, findEntry, readRecord } from "./write/record.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/** What happened to the patch. */
export type Fate =
  /** It is applied. */
  | "patched"
  /** Only a part of it is applied: apply or revert was interrupted. OpenClaw runs as if it were not patched. */
  | "half-patched"
  /** It was applied, and an update of OpenClaw to another release removed it. */
  | "updated"
  /** It was applied, and a reinstall of the same release removed it. */
  | "reinstalled"
  /** There is no record that it was ever applied. */
  | "never";

/** The state of the patch, for programs and as a sentence for users. */
export interface PatchState {
  readonly root: string;
  readonly release: string;
  readonly fate: Fate;
  readonly sentence: string;
  /** What the user has to do when it is not applied: "Run: ...". */
  readonly todo?: string;
  /** The version of the patch set that is applied. */
  readonly patchSet?: string;
  /** When it was applied, in milliseconds since 1970: a process that started earlier runs without it. */
  readonly since?: number;
  /** `register`: this process got its files patched from memory, set by its hook, never here. Default: `files`. */
  readonly way?: "files" | "register";
}

/**
 * Reports whether the OpenClaw in `root` is patched, by its files and by the record of patched installations. Looks
 * only for the guard and for marks; verify() checks every byte. Never throws, writes nothing. `places`: its paths
 * before symbolic links were resolved.
 */
export function patchState(
  root: string,
  places: readonly string[] = [root],
  env: NodeJS.ProcessEnv = process.env,
): PatchState {
  const release = manifestIn(root)?.version ?? "unknown";
  const guard = readIfThere(join(root, GUARD_FILE));
  if (guard !== undefined && isWaiting(guard)) {
    const sentence = `OpenClaw ${release} is patched in part only, and the patch is off.`;
    return { root, release, fate: "half-patched", sentence, todo: toApply() };
  }
  const marked = guard === undefined ? undefined : firstMarked(join(root, "dist"));
  if (marked !== undefined) {
    const patchSet = unmark(marked).header?.patchSet;
    return {
      root,
      release,
      fate: "patched",
      sentence: `OpenClaw ${release} is patched by openclaw-integrity.`,
      since: createdAt(join(root, GUARD_FILE)),
      ...(patchSet !== undefined && { patchSet }),
    };
  }
  const { fate, sentence } = fateWhenUnpatched(root, release, findEntry(readRecord(env), root, places));
  return { root, release, fate, sentence, todo: toApply() };
}

/**
 * When a file came to be, in milliseconds since 1970. OpenClaw 2026.4 links its files anew when a gateway starts, which
 * moves their ctime behind that start; a file system without times of birth has the ctime alone.
 */
function createdAt(file: string): number {
  const { birthtimeMs, ctimeMs } = statSync(file);
  return birthtimeMs > 0 ? Math.min(birthtimeMs, ctimeMs) : ctimeMs;
}

function toApply(): string {
  return `Run: ${ownCommand("apply")}`;
}

/** What happened to the patch of an unpatched OpenClaw, by its entry in the record. */
export function fateWhenUnpatched(
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
      sentence: `OpenClaw ${release} was reinstalled${changed}, which removed the patch.`,
    };
  }
  const change = `OpenClaw was updated from ${entry.release} to ${release}${changed}`;
  return { fate: "updated", sentence: `${change}, and the update removed the patch.` };
}

/** When the package was installed: the ctime of its package.json, because the mtime is the one in the tarball. */
function changedAt(root: string): string | undefined {
  return statSync(join(root, "package.json"), { throwIfNoEntry: false })?.ctime.toISOString();
}

function readIfThere(file: string): string | undefined {
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
    // A folder that cannot be read counts as unpatched.
  }
  return undefined;
}
