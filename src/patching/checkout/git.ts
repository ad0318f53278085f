/** The `git` program, without the settings, hooks and variables of whoever calls. */
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { patchError } from "../base/errors.ts";

const DEADLINE_MS = 120_000;

/** Runs git in a folder and returns its standard output. Throws `git-failed`. */
export function git(folder: string, args: readonly string[], input?: string): string {
  const ran = run(folder, args, input);
  if (ran.status === 0) return ran.stdout;
  throw patchError("git-failed", {
    expected: `git ${args[0] ?? ""} to succeed in ${folder}`,
    found: ran.error?.message ?? (ran.stderr.trim() || `exit code ${ran.status}`),
    todo: "Install git, or look what it says. Nothing was changed.",
  });
}

function run(folder: string, args: readonly string[], input?: string): SpawnSyncReturns<string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return spawnSync(
    "git",
    ["-c", "core.quotePath=false", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", ...args],
    {
      cwd: folder,
      encoding: "utf8",
      ...(input !== undefined && { input }),
      timeout: DEADLINE_MS,
      maxBuffer: 2 ** 28,
      env: { ...Object.fromEntries(own), GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    },
  );
}

/**
 * Returns the tracked files with changes that are not committed, without those whose only change is our own lines: `ours`
 * has their texts without these. None where the folder is not the root of a work tree: then nothing is known. Throws
 * `git-failed` where it has a `.git` that git does not read (another owner's, without git), because nothing is known then
 * either and a change may be there.
 */
export function changedInGit(root: string, ours: ReadonlyMap<string, string>): readonly string[] {
  const top = run(root, ["rev-parse", "--show-toplevel"]);
  if (top.status !== 0) {
    if (!existsSync(join(root, ".git"))) return [];
    throw patchError("git-failed", {
      expected: `git to tell whether something is not committed in ${root}`,
      found: top.error?.message ?? top.stderr.trim().split("\n", 1)[0]!,
      todo: "Put that right, or say --dirty to go on without knowing. Nothing was changed.",
    });
  }
  if (realpathSync(top.stdout.trimEnd()) !== realpathSync(root)) return [];
  const listed = git(root, ["status", "--porcelain", "-z", "--untracked-files=no", "--no-renames"]);
  return listed
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => line.slice(3))
    .filter((file) => !(ours.has(file) && committed(root, file) === ours.get(file)));
}

/** Whether git leaves an untracked file out of a commit: OpenClaw's own list of ignored files has `vendor/`. */
export function isIgnoredInGit(root: string, file: string): boolean {
  return run(root, ["check-ignore", "--quiet", file]).status === 0;
}

function committed(root: string, file: string): string | undefined {
  const shown = run(root, ["show", `HEAD:${file}`]);
  return shown.status === 0 ? shown.stdout : undefined;
}
