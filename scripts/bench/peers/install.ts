import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../../src/patching/base/hash.ts";
import { runNpm } from "../../../harness/npm.ts";

const PINS = fileURLToPath(new URL(".", import.meta.url));
const FOLDER = fileURLToPath(new URL("../../../.cache/peers", import.meta.url));
const STAMP = "installed";
const MANIFESTS = ["package.json", "package-lock.json"];

/**
 * Installs the other projects, whose versions and hashes package-lock.json beside this file pins, into `.cache/peers`
 * unless they are there. Returns that folder, or undefined with a line on stderr where they cannot be had: whoever runs
 * the benchmark without a network gets the other rows.
 */
export async function installPeers(): Promise<string | undefined> {
  const stamp = sha256(readFileSync(join(PINS, "package-lock.json"), "utf8"));
  const file = join(FOLDER, STAMP);
  if (existsSync(file) && readFileSync(file, "utf8") === stamp) return FOLDER;
  process.stderr.write("installing the other projects into .cache/peers: 370 MB on the disk\n");
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const name of MANIFESTS) copyFileSync(join(PINS, name), join(FOLDER, name));
  try {
    // Without scripts: none of the packages needs one, and none should run code on this machine at install time.
    await runNpm(FOLDER, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  } catch (error) {
    process.stderr.write(`the other projects are not measured: ${String(error).slice(0, 300)}\n`);
    return undefined;
  }
  writeFileSync(file, stamp);
  return FOLDER;
}
