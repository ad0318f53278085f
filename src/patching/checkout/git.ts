/**
 * The `git` program, without the hooks and variables of whoever calls, and so that it starts no program that a tree
 * names: a tree from an archive has a `.git/config` of somebody else.
 */
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { existsSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { quotedInline } from "../../base/quoted.ts";
import { patchError } from "../base/errors.ts";

const DEADLINE_MS = 120_000;

/** Runs git in a folder and returns its standard output. Throws `git-failed`. */
function git(folder: string, args: readonly string[]): string {
  return succeeded(folder, args, run(folder, args));
}

/**
 * Runs git in a folder of ours, without the user's settings: they change what a patch looks like, and may ask for a
 * name or a signature. Returns its standard output. Throws `git-failed`.
 */
export function plainGit(folder: string, args: readonly string[], input?: string): string {
  return succeeded(
    folder,
    args,
    // Git before 2.32 does not know the second one, and looks into the others.
    run(folder, args, input, {
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: devNull,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
    }),
  );
}

function succeeded(folder: string, args: readonly string[], ran: SpawnSyncReturns<string>): string {
  if (ran.status === 0) return ran.stdout;
  throw patchError("git-failed", {
    expected: `git ${args.find((word, at) => word !== "-c" && args[at - 1] !== "-c") ?? ""} to succeed in ${folder}`,
    found: describeFailure(ran),
    todo: "Install git, or look what it says. Nothing was changed.",
  });
}

function describeFailure({ error, stderr, status }: SpawnSyncReturns<string>): string {
  if (error !== undefined) return "code" in error && error.code === "ENOENT" ? "no program git" : error.message;
  const lines = stderr.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ") || `exit code ${status}`;
}

/** Settings of the tree that would start a program, whatever git is asked; they have one name each. */
const OWN_SETTINGS = ["core.quotePath=false", "core.hooksPath=/dev/null", "core.fsmonitor=false"];

/** A fetch of missing objects starts the programs of a transport, all of which the tree can choose. */
const NO_TRANSPORT = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

function run(
  folder: string,
  args: readonly string[],
  input?: string,
  more: NodeJS.ProcessEnv = {},
): SpawnSyncReturns<string> {
  const ownVariables = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return spawnSync("git", ["--no-pager", ...OWN_SETTINGS.flatMap((setting) => ["-c", setting]), ...args], {
    cwd: folder,
    encoding: "utf8",
    ...(input !== undefined && { input }),
    timeout: DEADLINE_MS,
    maxBuffer: 2 ** 28,
    env: {
      ...Object.fromEntries(ownVariables),
      ...NO_TRANSPORT,
      GIT_TERMINAL_PROMPT: "0",
      // A look at the state must not stand in the way of the user's own git.
      GIT_OPTIONAL_LOCKS: "0",
      // What is committed is told by the commits, and not by objects in their place.
      GIT_NO_REPLACE_OBJECTS: "1",
      LC_ALL: "C",
      ...more,
    },
  });
}

/**
 * The options that turn off each filter of the settings, the user's own too: a filter is a program, and the tree's
 * `.gitattributes` chooses when it runs. Throws `git-failed` for a filter whose name no option can have.
 */
function withoutFilters(folder: string): readonly string[] {
  const settings = git(folder, ["config", "--null", "--name-only", "--list"]).split("\0");
  const names = new Set(settings.flatMap((setting) => /^filter\.(.*)\.[^.]*$/s.exec(setting)?.[1] ?? []));
  const unnamable = [...names].find((name) => name.includes("="));
  if (unnamable !== undefined)
    throw patchError("git-failed", {
      expected: `the filters that git is set to run in ${folder} to have names that an option of git can have`,
      found: quotedInline(unnamable, 80),
      todo: "Remove it from the settings of git (git config --list --show-origin). Nothing was changed.",
    });
  return [...names].flatMap((name) =>
    ["clean=", "smudge=", "process=", "required=false"].flatMap((setting) => ["-c", `filter.${name}.${setting}`]),
  );
}

/**
 * Returns the tracked files with changes that are not committed. None where the folder is in no work tree: then nothing
 * is known. Throws `git-failed` where it has a `.git` that git does not read (another owner's, without git), because
 * nothing is known then either and a change may be there.
 */
export function changedInGit(root: string): readonly string[] {
  const asked = run(root, ["rev-parse", "--is-inside-work-tree", "--show-prefix"]);
  // A tree can set another folder as its work tree.
  const [isInside, prefix = ""] = asked.status === 0 ? asked.stdout.split("\n") : [];
  if (isInside !== "true") {
    if (isInside === undefined && !existsSync(join(root, ".git"))) return [];
    throw patchError("git-failed", {
      expected: `git to tell whether something is not committed in ${root}`,
      found: isInside === undefined ? describeFailure(asked) : "a repository whose work tree is another folder",
      todo: "Put that right, or say --dirty to go on without knowing. Nothing was changed.",
    });
  }
  // The sources may be a folder of a larger repository, in which the rest is no concern of ours.
  const above = prefix.length;
  // Git runs itself in submodules, with their own settings.
  const only = ["--untracked-files=no", "--ignore-submodules=all", "--no-renames"];
  const listed = git(root, [...withoutFilters(root), "status", "--porcelain", "-z", ...only, "--", "."]);
  return listed
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => line.slice(3 + above));
}

/** Whether git leaves an untracked file out of a commit: OpenClaw's own list of ignored files has `vendor/`. */
export function isIgnoredInGit(root: string, file: string): boolean {
  return run(root, ["check-ignore", "--quiet", file]).status === 0;
}

/** The text of a file in the last commit; undefined where that has none. */
export function committedInGit(root: string, file: string): string | undefined {
  const shown = run(root, ["cat-file", "blob", `HEAD:./${file}`]);
  return shown.status === 0 ? shown.stdout : undefined;
}
