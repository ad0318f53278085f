/** Finds globally installed OpenClaws in the global folders of each package manager. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { openclawBehind, openclawInPath } from "./executable.ts";
import { isFolder } from "./package.ts";

/** How an installation was found. */
export type Way = "path" | "project" | "npm" | "pnpm" | "yarn" | "bun" | "command";

/** A path at which OpenClaw was found, possibly a symbolic link, and how. */
export interface Place {
  readonly way: Way;
  readonly place: string;
  /** The package folder, when it is not `place` itself. */
  readonly root?: string;
}

// For a package manager that hangs, for example a shim that wants to download it.
const TIMEOUT_MS = 20_000;

/**
 * Every OpenClaw installed globally, by npm, pnpm, Yarn classic, Bun, and the one that the command `openclaw` starts.
 */
export function openclawsOfMachine(env: NodeJS.ProcessEnv): readonly Place[] {
  const inFolders: readonly (readonly [Way, readonly string[]])[] = [
    ["npm", answer("npm root -g", env)],
    ["pnpm", answer("pnpm root -g", env).flatMap(groupsOfPnpm)],
    ["yarn", answer("yarn global dir", env).map((folder) => join(folder, "node_modules"))],
    ["bun", foldersOfBun(env)],
  ];
  const places = inFolders.flatMap(([way, folders]) =>
    folders.map((folder) => ({ way, place: join(folder, "openclaw") })),
  );
  const command = openclawInPath(env);
  const root = command === undefined ? undefined : openclawBehind(command);
  const behind: readonly Place[] =
    command === undefined || root === undefined ? [] : [{ way: "command", place: command, root }];
  return [...places.filter(({ place }) => isFolder(place)), ...behind];
}

/**
 * Returns pnpm's global node_modules: pnpm 10 has one; since pnpm 11 each group of packages that are installed together
 * has its own below `root -g`.
 */
function groupsOfPnpm(folder: string): readonly string[] {
  if (!isFolder(folder)) return [];
  const groups = readdirSync(folder).map((name) => join(folder, name, "node_modules"));
  return [folder, ...groups.filter(isFolder)];
}

/** Returns the documented global folders of Bun, which has no command that reports its folder. */
function foldersOfBun(env: NodeJS.ProcessEnv): readonly string[] {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  const bases = [env["BUN_INSTALL_GLOBAL_DIR"], env["BUN_INSTALL"] && join(env["BUN_INSTALL"], "install", "global")];
  const given = bases.filter((base) => base !== undefined && base !== "");
  return [...given, join(home, ".bun", "install", "global")].map((base) => join(String(base), "node_modules"));
}

/**
 * The last line that a package manager's command prints; empty when it is not installed or does not know the command.
 */
function answer(command: string, env: NodeJS.ProcessEnv): readonly string[] {
  const { status, stdout } = spawnSync(command, {
    // Safe with a constant command; on Windows package managers are scripts, which need a shell.
    shell: true,
    // Outside of the project, whose settings for package managers do not apply to global installations.
    cwd: homedir(),
    env: { ...env, COREPACK_ENABLE_NETWORK: "0", COREPACK_ENABLE_PROJECT_SPEC: "0" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: TIMEOUT_MS,
  });
  const line = status === 0 ? stdout.trim().split("\n").at(-1)?.trim() : undefined;
  return line === undefined || line === "" ? [] : [line];
}
