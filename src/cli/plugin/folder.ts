/** The plugin's files: those of this package, and the copy that OpenClaw may load instead. Issue 6, item 6. */
import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { createFile, makeFolder } from "../../base/files/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { reasonOf, pluginError } from "./errors.ts";

/** The plugin's id, in OpenClaw's config and everywhere. */
export const PLUGIN_ID = "clawos-l0";

const MANIFEST = "openclaw.plugin.json";
const LEFT = /\.(?:integrity-[0-9a-f]{16}|\d+\.(?:next|old))$/;
const OLD_MS = 3_600_000;
// Beside the built command line; from the source's folder it is three folders up.
const PLACES = ["plugin", "../../../dist/plugin"];

/** The built plugin of this package. Throws `plugin-missing`. */
export function packagedPlugin(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const found = PLACES.map((place) => join(here, place)).find(isPlugin);
  if (found !== undefined) return found;
  throw pluginError("plugin-missing", {
    expected: `the built plugin in ${join(here, "plugin")}`,
    found: "none",
    todo: "Install openclaw-integrity anew; in its repository run: npm run build.",
  });
}

/** Where a copy lies: in OpenClaw's state directory, where it outlives this package. */
export function copiedPlugin(env: NodeJS.ProcessEnv = process.env): string {
  return join(stateDirectory(env), "integrity", PLUGIN_ID);
}

/** The copy of the plugin that this OpenClaw brings along, as our distribution does. */
export function bundledPlugin(root: string): string | undefined {
  return [join(root, "dist", "extensions", PLUGIN_ID), join(root, "extensions", PLUGIN_ID)].find(isPlugin);
}

/** Whether a folder holds our plugin. */
export function isPlugin(folder: string): boolean {
  return manifestOf(folder)?.["id"] === PLUGIN_ID;
}

/** The version that the plugin in a folder says it is. */
export function versionOf(folder: string): string {
  return String(manifestOf(folder)?.["version"] ?? "unknown");
}

/** Whether OpenClaw enables the bundled plugin in a folder by itself. */
export function isEnabledByDefault(folder: string): boolean {
  return manifestOf(folder)?.["enabledByDefault"] === true;
}

/** Whether two folders hold the same files. */
export function holdSame(one: string, other: string): boolean {
  if (!existsSync(one) || !existsSync(other)) return false;
  const names = readdirSync(one).toSorted();
  return (
    JSON.stringify(names) === JSON.stringify(readdirSync(other).toSorted()) &&
    names.every((name) => readFileSync(join(one, name)).equals(readFileSync(join(other, name))))
  );
}

/** Why a folder of the package is no place to link to; undefined when it is one. */
export function unfitForLink(folder: string): string | undefined {
  if (folder.split(sep).includes("_npx")) return "npx empties its cache";
  if (folder.startsWith(tmpdir() + sep)) return "it lies in a folder for temporary files";
  if (process.platform === "win32") return undefined;
  const stats = [folder, ...readdirSync(folder).map((name) => join(folder, name))].map((path) => statSync(path));
  // Each is what OpenClaw since 2026.2.26 refuses to load.
  if (stats.some((stat) => stat.isFile() && stat.nlink > 1))
    return "its files are hard links, as pnpm and Bun make them, which OpenClaw does not load";
  if (stats.some(({ uid }) => uid !== 0 && uid !== process.getuid?.()))
    return "it belongs to another user, whose plugins OpenClaw does not load";
  if (stats.some(({ mode }) => (mode & 0o002) !== 0))
    return "everybody may write to it, and such plugins OpenClaw does not load";
  return undefined;
}

/**
 * Puts a copy of a folder of files in place of an older one; a kill leaves the older one, the new one, or for the
 * moment between two renames none. Throws `not-writable`, and then the older one is still there.
 */
export function copyFolder(from: string, to: string): void {
  const name = (): string => `${to}.integrity-${randomBytes(8).toString("hex")}`;
  const [next, old] = [name(), name()];
  try {
    makeFolder(dirname(to));
    removeLeft(to);
    // OpenClaw loads no plugin that everybody may write to, whatever the umask.
    makeFolder(next, 0o755);
    for (const file of readdirSync(from)) createFile(join(next, file), readFileSync(join(from, file)), { mode: 0o644 });
    if (existsSync(to)) renameSync(to, old);
    renameSync(next, to);
  } catch (error) {
    if (existsSync(old) && !existsSync(to)) renameSync(old, to);
    throw pluginError("not-writable", {
      expected: `to write ${to}`,
      found: reasonOf(error),
      todo: "Run it as the user OpenClaw runs as, and make room on the disk; nothing was changed.",
      cause: error,
    });
  } finally {
    for (const folder of [next, old]) rmSync(folder, { recursive: true, force: true });
  }
}

/** What a kill has left beside it long ago. */
function removeLeft(to: string): void {
  const left = readdirSync(dirname(to))
    .filter((file) => file.startsWith(`${basename(to)}.`) && LEFT.test(file))
    .map((file) => join(dirname(to), file));
  for (const path of left)
    if (Date.now() - lstatSync(path).mtimeMs > OLD_MS) rmSync(path, { recursive: true, force: true });
}

function manifestOf(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
