/** A copy of OpenClaw's sources to build and test in: of a folder, an archive, or a tag on GitHub. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { patchError } from "../../src/patching/base/errors.ts";
import { revertCheckout } from "../../src/patching/checkout/apply.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { withLock } from "../../src/patching/write/lock.ts";
import { REPLACED, withoutGitHub } from "./lock-file.ts";
import { installToolchain, type Toolchain } from "./pnpm.ts";
import { reasonIn, runStep, StepError } from "./step.ts";

/** The copy. */
export interface Tree {
  readonly root: string;
  readonly release: string;
  readonly tools: Toolchain;
  /** Where the logs of its steps are. */
  readonly logs: string;
  /** What is not as in the sources, and why; for the report. */
  readonly notes: readonly string[];
  /** What the copy was made of, as the report may name it: a release or a commit, no path. */
  readonly origin: string;
}

const UPSTREAM = "https://github.com/openclaw/openclaw.git";
const TAG = /^v?\d{4}\.\d+\.\d+[\w.-]*$/;
const ARCHIVE = /\.(?:tgz|txz|tar\.gz|tar\.xz)$/;
const ANSWERS_MS = 20_000;
/** Names the commit that the copy begins with: whatever a killed run has left is not taken for the sources. */
const BEGINNING = "refs/openclaw-integrity/sources";
const AUTHOR = ["-c", "user.name=openclaw-integrity", "-c", "user.email=openclaw-integrity@users.noreply.github.com"];

/**
 * Copies the sources into `home`/tree, commits them there, and installs their dependencies by their own package manager;
 * the copy of a source that has not changed since is used again. Throws `openclaw-missing` for what is no source, and a
 * StepError when the installation fails.
 */
async function openTree(source: string, home: string, say: (line: string) => void): Promise<Tree> {
  const stamp = join(home, "made-of");
  const identity = identifySource(source);
  const root = join(home, "tree");
  const isThere = existsSync(stamp) && readFileSync(stamp, "utf8") === identity && hasBeginning(root);
  if (!isThere) {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    say(`copying the sources of ${source}`);
    copySources(source, root);
    commitAll(root, "The sources as they are");
  }
  const tools = await installToolchain(root);
  const logs = join(home, "logs");
  const notes: string[] = [];
  const lock = await lockWithoutGitHub(root, isThere);
  if (lock !== undefined) {
    notes.push(REPLACED);
    if (!isThere) {
      writeFileSync(join(root, "pnpm-lock.yaml"), lock);
      commitAll(root, "Take every dependency from the registry");
    }
  }
  if (!isThere) {
    say(`installing its dependencies (${tools.name}), a few minutes`);
    await runStep({
      name: "install",
      program: tools.pnpm,
      args: tools.install,
      folder: root,
      env: tools.env,
      log: join(logs, "install.log"),
    });
    gitIn(root, "update-ref", BEGINNING, "HEAD");
    writeFileSync(stamp, identity);
  }
  notes.push(...compiledIn(root));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  return { root, release: version, tools, logs, notes, origin: `OpenClaw ${version}` };
}

function hasBeginning(root: string): boolean {
  return gitIn(root, "for-each-ref", BEGINNING) !== "";
}

/**
 * Does something with the copy of a source below `parent`, which is no other process's in the meantime: a second one would
 * patch or build what the first is testing. Throws what {@link openTree} throws.
 */
export async function withTree<Value>(
  source: string,
  parent: string,
  say: (line: string) => void,
  work: (tree: Tree, home: string) => Promise<Value>,
): Promise<Value> {
  const home = sourceFolder(source, parent);
  mkdirSync(parent, { recursive: true });
  return await withLock(
    `${home}.lock`,
    async () => await work(await openTree(source, home, say), home),
    () => say(`another command works with the copy of ${source}; waiting for it`),
  );
}

/** Takes back what the patch, a build, or a run that was killed has changed in the copy. */
export function resetTree(root: string): void {
  if (existsSync(join(root, ".git", "rebase-apply"))) gitIn(root, "am", "--quit");
  revertCheckout(root);
  gitIn(root, "reset", "--quiet", "--hard", BEGINNING);
}

/**
 * For the report: the packages that have binaries to download and were compiled instead. Seen in their folders, because
 * pnpm takes what it has compiled once from its store.
 */
export function compiledIn(root: string): readonly string[] {
  const folders = ["*", "@*/*"].flatMap((name) => [
    `node_modules/${name}`,
    `node_modules/.pnpm/*/node_modules/${name}`,
  ]);
  const found = globSync(
    folders.map((folder) => `${folder}/build*/config.gypi`),
    { cwd: root },
  );
  const names = found.flatMap((file) => {
    const manifest = join(root, dirname(dirname(file)), "package.json");
    const { name, binary } = JSON.parse(readFileSync(manifest, "utf8")) as { name: string; binary?: unknown };
    return binary === undefined ? [] : [name];
  });
  return [...new Set(names)].map((name) => `\`${name}\` is compiled instead of downloaded`);
}

/** The folder of `.cache` for the copy of a source. */
export function sourceFolder(source: string, parent: string): string {
  return join(parent, basename(source).replaceAll(/[^\w.-]/g, "-") || "source");
}

/** Runs git in the tree and returns what it prints. */
export function gitIn(root: string, ...args: readonly string[]): string {
  return execFileSync("git", [...AUTHOR, "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();
}

/** Copies the sources into the empty folder `root`, which is a repository then. Throws a StepError. */
export function copySources(source: string, root: string): void {
  try {
    copy(source, root);
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string | Buffer };
    throw new StepError("copying the sources", reasonIn(String(stderr)) || message);
  }
}

function copy(source: string, root: string): void {
  if (!existsSync(source) && TAG.test(source)) {
    const tag = source.startsWith("v") ? source : `v${source}`;
    gitIn(root, "clone", "--quiet", "--depth", "1", "--branch", tag, UPSTREAM, ".");
  } else if (isFolder(source) && existsSync(join(source, ".git"))) {
    gitIn(root, "clone", "--quiet", "--no-tags", resolve(source), ".");
  } else if (isFolder(source)) {
    const left = new Set(["node_modules", "dist"].map((name) => join(source, name)));
    cpSync(source, root, { recursive: true, verbatimSymlinks: true, filter: (from) => !left.has(from) });
    gitIn(root, "init", "--quiet");
  } else {
    execFileSync("tar", ["xf", resolve(source), "-C", root], { stdio: "pipe" });
    gitIn(root, "init", "--quiet");
  }
  gitIn(root, "config", "core.autocrlf", "false");
}

/** Commits what has changed, so that a patch of the tree can be told from it. */
export function commitAll(root: string, message: string): void {
  gitIn(root, "add", "--all", "--force");
  gitIn(root, "commit", "--quiet", "--no-verify", "--allow-empty", "-m", message);
}

/** A text for the lock file where GitHub cannot be reached; undefined where nothing has to be replaced. */
async function lockWithoutGitHub(root: string, isMade: boolean): Promise<string | undefined> {
  if (isMade) return gitIn(root, "log", "--format=%s").includes("from the registry") ? "" : undefined;
  const lock = withoutGitHub(readFileSync(join(root, "pnpm-lock.yaml"), "utf8"));
  if (lock === undefined) return undefined;
  try {
    await fetch("https://codeload.github.com/", { signal: AbortSignal.timeout(ANSWERS_MS) });
    return undefined;
  } catch {
    return lock;
  }
}

function identifySource(source: string): string {
  if (isFolder(source))
    return existsSync(join(source, ".git"))
      ? `${resolve(source)} ${gitIn(source, "rev-parse", "HEAD")}`
      : `${resolve(source)} ${sha256(listing(source))}`;
  if (existsSync(source) && ARCHIVE.test(source)) {
    const { size, mtimeMs } = statSync(source);
    return `${resolve(source)} ${size} ${mtimeMs}`;
  }
  if (TAG.test(source)) return `tag ${source}`;
  throw patchError("openclaw-missing", {
    expected: "a folder with OpenClaw's sources, an archive (.tgz, .txz), or a tag such as v2026.2.3",
    found: existsSync(source) ? `another file, ${source}` : `no such file or tag: ${source}`,
    todo: "Name one of these with --source.",
  });
}

function listing(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/(?:^|[\\/])(?:node_modules|dist)(?:[\\/]|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => `${file} ${statSync(file).size} ${statSync(file).mtimeMs}`)
    .join("\n");
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
