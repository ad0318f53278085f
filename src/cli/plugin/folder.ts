/** The plugin's files: those of this package, and the copy that OpenClaw may load instead. */
import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { createFile, makeFolder } from "../../base/files/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { pluginError } from "./errors.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";
import { readJsonObject } from "../../base/read-json-object.ts";

/** The plugin's id in OpenClaw. */
export const PLUGIN_ID = "clawos-l0";

const MANIFEST = "openclaw.plugin.json";
const LEFTOVER = /\.(?:integrity-[0-9a-f]{16}|\d+\.(?:next|old))$/;
const LEFTOVER_AGE_MS = 3_600_000;
// Beside the built command line, and three folders above the source.
const PLACES = ["plugin", "../../../dist/plugin"];

/** Returns the folder of the built plugin in this package. Throws `plugin-missing`. */
export function packagedPlugin(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const found = PLACES.map((place) => join(here, place)).find(isPlugin);
  if (found !== undefined) return found;
  throw pluginError("plugin-missing", {
    expected: `the built plugin in ${join(here, "plugin")}`,
    found: "none",
    todo: "Reinstall openclaw-integrity; in its repository run: npm run build.",
  });
}

/** Returns the folder for a copy: in OpenClaw's state directory, where the copy outlives this package. */
export function copiedPlugin(env: NodeJS.ProcessEnv = process.env): string {
  return join(stateDirectory(env), "integrity", PLUGIN_ID);
}

/** Returns the copy of the plugin that this OpenClaw contains, as the distribution of openclaw-integrity does. */
export function bundledPlugin(root: string): string | undefined {
  return [join(root, "dist", "extensions", PLUGIN_ID), join(root, "extensions", PLUGIN_ID)].find(isPlugin);
}

/** Returns whether a folder holds this plugin. */
export function isPlugin(folder: string): boolean {
  return manifestIn(folder)?.["id"] === PLUGIN_ID;
}

/** Returns the version in the manifest of a plugin folder. */
export function pluginVersion(folder: string): string {
  return String(manifestIn(folder)?.["version"] ?? "unknown");
}

/** Returns whether OpenClaw enables a bundled plugin by default. */
export function isEnabledByDefault(folder: string): boolean {
  return manifestIn(folder)?.["enabledByDefault"] === true;
}

/** Returns whether two folders hold the same files. */
export function holdSame(one: string, other: string): boolean {
  if (!existsSync(one) || !existsSync(other)) return false;
  const names = readdirSync(one).toSorted();
  return (
    JSON.stringify(names) === JSON.stringify(readdirSync(other).toSorted()) &&
    names.every((name) => readFileSync(join(one, name)).equals(readFileSync(join(other, name))))
  );
}

/** Returns the bytes of the files in a folder. */
export function folderSize(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Returns why OpenClaw should not load the plugin from a folder of the package; undefined when it can. */
export function unfitForLink(folder: string): string | undefined {
  if (folder.split(sep).includes("_npx")) return "npx empties its cache";
  if (folder.startsWith(tmpdir() + sep)) return "it is in a folder for temporary files";
  if (process.platform === "win32") return undefined;
  const stats = [folder, ...readdirSync(folder).map((name) => join(folder, name))].map((path) => statSync(path));
  // OpenClaw since 2026.2.26 refuses to load plugins with any of these.
  if (stats.some((stat) => stat.isFile() && stat.nlink > 1))
    return "its files are hard links, as pnpm and Bun make them, which OpenClaw does not load";
  if (stats.some(({ uid }) => uid !== 0 && uid !== process.getuid?.()))
    return "it belongs to another user, whose plugins OpenClaw does not load";
  if (stats.some(({ mode }) => (mode & 0o002) !== 0))
    return "everybody may write to it, and OpenClaw does not load such plugins";
  return undefined;
}

/**
 * Replaces a folder by a copy of another one. A kill leaves the older folder, the new one, or, between two renames,
 * none. Throws `not-writable`, and then the older one is still there.
 */
export function copyFolder(from: string, to: string): void {
  const name = (): string => `${to}.integrity-${randomBytes(8).toString("hex")}`;
  const [next, old] = [name(), name()];
  try {
    makeFolder(dirname(to));
    removeLeftovers(to);
    // The mode does not depend on the umask: OpenClaw loads no plugin that everybody may write to.
    makeFolder(next, 0o755);
    for (const file of readdirSync(from)) createFile(join(next, file), readFileSync(join(from, file)), { mode: 0o644 });
    if (existsSync(to)) renameSync(to, old);
    renameSync(next, to);
  } catch (error) {
    if (existsSync(old) && !existsSync(to)) renameSync(old, to);
    throw pluginError(
      "not-writable",
      refusedByDisk(error, {
        expected: `to write ${to}`,
        asOwner: "Run the command as the user that OpenClaw runs as.",
        ending: "Nothing was changed.",
      }),
    );
  } finally {
    for (const folder of [next, old]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes what a kill left beside the folder, if it is more than an hour old. */
function removeLeftovers(to: string): void {
  const left = readdirSync(dirname(to))
    .filter((file) => file.startsWith(`${basename(to)}.`) && LEFTOVER.test(file))
    .map((file) => join(dirname(to), file));
  for (const path of left)
    if (Date.now() - lstatSync(path).mtimeMs > LEFTOVER_AGE_MS) rmSync(path, { recursive: true, force: true });
}

function manifestIn(folder: string): Readonly<Record<string, unknown>> | undefined {
  return readJsonObject(join(folder, MANIFEST));
}
