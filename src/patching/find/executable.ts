/** Finds the package of the `openclaw` that a shell starts. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { openclawAround } from "./package.ts";

// A shim has a few kilobytes; larger files are not read.
const MAX_SHIM_BYTES = 64 * 1024;
const PROJECT_BINARIES = join("node_modules", ".bin");

/**
 * The first `openclaw` in PATH outside of a project's node_modules/.bin, which npm and npx put in front. A folder that
 * is relative to the current one is left out: others may have put something there.
 */
export function openclawInPath(env: NodeJS.ProcessEnv): string | undefined {
  const names =
    process.platform === "win32" ? ["openclaw.exe", "openclaw.cmd", "openclaw.ps1", "openclaw"] : ["openclaw"];
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders
    .filter((folder) => !folder.endsWith(`${sep}${PROJECT_BINARIES}`))
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

/**
 * The OpenClaw that an executable starts: the executable is in the package, also by symbolic links, or it is a script
 * that names a file of the package, as the shims of pnpm and of Windows and the wrapper of OpenClaw's installer do.
 * Undefined when there is none.
 */
export function openclawBehind(executable: string): string | undefined {
  return openclawAround(executable) ?? openclawNamedIn(executable);
}

function openclawNamedIn(shim: string): string | undefined {
  const file = realpathSync(shim);
  if (statSync(file).size > MAX_SHIM_BYTES) return undefined;
  const text = readFileSync(file, "utf8");
  for (const [, quoted, target] of text.matchAll(/["']([^"'\n]*\.[cm]?js)["']|^# cmd-shim-target=(.+)$/gm)) {
    // How shims refer to their own folder.
    const path = (quoted ?? target ?? "").replace(/^(?:\$\{?basedir\w*\}?|%~?dp0%?)[\\/]*/, "./").replaceAll("\\", "/");
    const place = resolve(dirname(file), path);
    const found = existsSync(place) ? openclawAround(place) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
