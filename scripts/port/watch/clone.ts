/**
 * The clone of the repository in which a release is ported. The repository itself gets a finished branch or nothing:
 * whatever ends the work half-way leaves a folder in `.cache`, which the next run removes.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patchError } from "../../../src/patching/base/errors.ts";

/** What a port may change, and nothing else. */
const PROPOSED = ["releases/releases.json", "patches/", "results/port/", "UPSTREAM.md"];
const TEXT_BYTES = 64 << 20;

/** The branch for the review of a release. */
export function branchName(release: string): string {
  return `port/${release}`;
}

/** Runs git in a folder and returns what it prints. */
export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: TEXT_BYTES,
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();
}

/** Throws `install-failed` unless a commit can be made from what is committed now. */
export function assertReady(repository: string): void {
  const changed = git(repository, "status", "--porcelain", "--untracked-files=no");
  if (changed !== "")
    throw patchError("install-failed", {
      expected: "a repository without uncommitted changes, because the port starts from its last commit",
      found: `\n${changed}\n`,
      todo: "Commit or stash them, then run it again.",
    });
  try {
    git(repository, "var", "GIT_COMMITTER_IDENT");
  } catch (cause) {
    throw patchError("install-failed", {
      expected: "git to know who commits",
      found: "no name and e-mail address",
      todo: "Set user.name and user.email, then run it again.",
      cause,
    });
  }
}

/** The branches of releases that wait for their review here or in a remote repository. */
export function waiting(repository: string, releases: readonly string[]): readonly string[] {
  const names = git(repository, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes").split("\n");
  return releases.filter((release) =>
    names.some(
      (name) =>
        name === `refs/heads/${branchName(release)}` ||
        (name.startsWith("refs/remotes/") && name.split("/").slice(3).join("/") === branchName(release)),
    ),
  );
}

/** A clone at `start`, with the dependencies, the build and the tarballs of the repository. */
export function openClone(repository: string, start: string): string {
  const outer = join(repository, ".cache", "port");
  const folder = join(outer, "clone");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(outer, { recursive: true });
  git(repository, "clone", "--quiet", "--no-tags", "--no-checkout", repository, folder);
  git(folder, "fetch", "--quiet", "origin", start);
  git(folder, "checkout", "--quiet", "--detach", "FETCH_HEAD");
  for (const key of ["user.name", "user.email"]) {
    const value = git(repository, "config", "--default", "", "--get", key);
    if (value !== "") git(folder, "config", key, value);
  }
  // The pattern of .gitignore is for folders, and these are links.
  writeFileSync(join(folder, ".git", "info", "exclude"), "/node_modules\n/.cache\n");
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  cpSync(join(repository, "dist"), join(folder, "dist"), { recursive: true });
  const tarballs = join(repository, ".cache", "tarballs");
  mkdirSync(tarballs, { recursive: true });
  mkdirSync(join(folder, ".cache"));
  symlinkSync(tarballs, join(folder, ".cache", "tarballs"));
  return folder;
}

/** Removes the clone with what was installed into it. */
export function closeClone(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Commits what the port changed. Throws `outcome-invalid` when it changed anything that a port does not change. */
export function commitPort(folder: string, subject: string, body: string): string {
  const changed = git(folder, "status", "--porcelain", "--untracked-files=all", "--no-renames")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(3));
  const others = changed.filter(
    (path) => !PROPOSED.some((one) => path === one || (one.endsWith("/") && path.startsWith(one))),
  );
  if (others.length > 0)
    throw patchError("outcome-invalid", {
      expected: `the port to change ${PROPOSED.join(", ")} only`,
      found: others.slice(0, 10).join(", "),
      todo: "Nothing was kept. Find out who changed these files: the code of the release ran in this folder.",
    });
  git(folder, "add", "--", ...changed);
  git(folder, "commit", "--quiet", "--no-gpg-sign", "-m", subject, "-m", body);
  return git(folder, "rev-parse", "HEAD");
}

/** Takes the clone's commit into the repository as a branch, in one step. */
export function takeBranch(repository: string, folder: string, release: string): void {
  git(repository, "fetch", "--quiet", "--no-tags", folder, `HEAD:refs/heads/${branchName(release)}`);
}
