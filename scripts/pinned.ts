import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../src/patching/base/hash.ts";
import { runNpm } from "../harness/npm.ts";

const CACHE = fileURLToPath(new URL("../.cache/", import.meta.url));
const STAMP = "installed";
const MANIFESTS = ["package.json", "package-lock.json"];

/**
 * Installs the other projects whose versions and hashes the package-lock.json in `pins` names, into a folder of that name
 * in `.cache` unless they are there. Returns that folder, or undefined with a line on stderr where they cannot be had:
 * whoever has no network gets the other rows.
 */
export async function installPinned(name: string, pins: string): Promise<string | undefined> {
  const folder = join(CACHE, name);
  const stamp = sha256(readFileSync(join(pins, "package-lock.json"), "utf8"));
  const file = join(folder, STAMP);
  if (existsSync(file) && readFileSync(file, "utf8") === stamp) return folder;
  process.stderr.write(`installing other projects into .cache/${name}: some hundred MB on the disk\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const manifest of MANIFESTS) copyFileSync(join(pins, manifest), join(folder, manifest));
  try {
    // Without scripts: none of the packages needs one, and none should run code on this machine at install time.
    await runNpm(folder, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  } catch (error) {
    process.stderr.write(`the other projects are not measured: ${String(error).slice(0, 300)}\n`);
    return undefined;
  }
  writeFileSync(file, stamp);
  return folder;
}
