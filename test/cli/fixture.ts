/** What the tests of the command line share: folders of their own, small packages of real releases, and the command. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MAIN } from "../../harness/command.ts";
import { newFolder } from "../../harness/temporary.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { type Release, releaseFacts } from "../../src/patching/base/releases.ts";

const ROLL_BACK = fileURLToPath(new URL("roll-back.ts", import.meta.url));

/** How this machine reaches the registry; a user's npm would read it from the machine's own configuration. */
const REACHES_REGISTRY = /^npm_config_(?:registry|ca|cafile|globalconfig|proxy|https_proxy|noproxy|strict_ssl)$/i;

/**
 * A user's environment: nothing of the npm that runs the tests, a home of its own, the given folders first in PATH.
 * OpenClaw's state directory is `<home>/.openclaw`. An OpenClaw of the machine is not found.
 */
export function userEnvironment(home: string, inPath: readonly string[] = []): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      REACHES_REGISTRY.test(name) ||
      !/^(?:npm_|openclaw_|clawdbot_|pnpm_|bun_|xdg_|node_options|init_cwd|vitest|force_color$|no_color$)/i.test(name),
  );
  const own = [...inPath, dirname(process.execPath)].join(delimiter);
  const tests = join(dirname(dirname(fileURLToPath(import.meta.url))), "..", "node_modules", ".bin");
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== tests && !existsSync(join(folder, "openclaw")));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    CI: "true",
    npm_config_update_notifier: "false",
    npm_config_prefix: join(home, ".npm-global"),
    PATH: [own, ...path].join(delimiter),
  };
}

/** What a run of the command left behind. */
export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON, when it is. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Runs `openclaw-integrity` as a process of its own. */
export function cli(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { cwd, env, encoding: "utf8" });
  const data = args.includes("--json") && stdout !== "" ? (JSON.parse(stdout) as Run["data"]) : {};
  return { status, stdout, stderr, data };
}

/** Rolls a conversation of that OpenClaw back to a checkpoint, in a process of its own: see roll-back.ts. */
export function rollBack(root: string, args: readonly string[], env: NodeJS.ProcessEnv): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ROLL_BACK, root, ...args], { env, encoding: "utf8" });
  return { status, stdout, stderr, data: JSON.parse(stdout) as Run["data"] };
}

const packages = new Map<Release, string>();

/**
 * The folder of a small package: the manifest of a real release without dependencies and scripts, and the files the
 * patch touches.
 */
async function packageOnce(release: Release): Promise<string> {
  const made = packages.get(release);
  if (made !== undefined && existsSync(made)) return made;
  const { stock } = await ensureRelease(release);
  const folder = join(newFolder(), "package");
  mkdirSync(folder);
  const { name, version, type, bin } = JSON.parse(readFileSync(join(stock, "package.json"), "utf8")) as Record<
    string,
    unknown
  >;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version, type, bin }));
  for (const file of ["openclaw.mjs", ...Object.keys(releaseFacts(release)!.files)]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(stock, file), join(folder, file));
  }
  chmodSync(join(folder, "openclaw.mjs"), 0o755);
  packages.set(release, folder);
  return folder;
}

/** A copy of the small package of a release, to do with as one likes. */
export async function smallPackage(release: Release): Promise<string> {
  const folder = join(newFolder(), "package");
  cpSync(await packageOnce(release), folder, { recursive: true });
  return folder;
}

/**
 * The small package of 2026.9.6 as a tarball that every package manager installs without a registry; `change` may edit
 * it first.
 */
export async function smallTarball(change: (folder: string) => void = () => undefined): Promise<string> {
  const folder = await smallPackage("2026.9.6");
  change(folder);
  const tarball = join(newFolder(), "openclaw.tgz");
  execFileSync("tar", ["czf", tarball, "-C", dirname(folder), "package"]);
  return tarball;
}

/** Makes a package say that it is another release, one that nobody has looked at yet. */
export function tomorrow(folder: string): void {
  const file = join(folder, "package.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"2026.9.6"', '"2026.9.7"'));
}

/** A state directory with transcripts that are files, and the commands on stored sessions for it. */
export function newSessionFiles(): { readonly stateDir: string; readonly folder: string; run(...args: string[]): Run } {
  const stateDir = newFolder();
  const folder = join(stateDir, "agents", "main", "sessions");
  mkdirSync(folder, { recursive: true });
  return {
    stateDir,
    folder,
    run: (...args) =>
      cli(["sessions", ...args], newFolder(), { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir }),
  };
}

/** A user's project. */
export function newProject(manifest: Readonly<Record<string, unknown>> = {}): string {
  const folder = newFolder();
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "user", version: "1.0.0", private: true, ...manifest }),
  );
  return folder;
}

/** A project with a small copy of a release in its node_modules, as npm lays it out. */
export async function projectWith(release: Release): Promise<{ readonly folder: string; readonly root: string }> {
  const folder = newProject();
  const root = join(folder, "node_modules", "openclaw");
  cpSync(await packageOnce(release), root, { recursive: true });
  return { folder, root };
}
