/**
 * A whole OpenClaw in a folder of its own, the latest release where no other is named, and OpenClaw's own checks of its
 * package, out of its own files.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { shareTree } from "../../src/patching/write/copy-tree.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { LATEST } from "../../src/patching/base/releases.ts";
import type { Release } from "../../src/patching/base/releases.ts";
import { userEnvironment } from "../cli/fixture.ts";

/** OpenClaw's lists of its dist. */
export const NAMES = "dist/postinstall-inventory.json";
export const CONTENTS = "dist/postinstall-content-inventory.json";

/** OpenClaw with its dependencies, to do with as one likes. */
export interface InstalledPackage {
  /** The project that it is installed in. */
  readonly folder: string;
  readonly root: string;
  /** Puts a published file in the place of what lies there. */
  readonly putBack: (file: string) => void;
  readonly remove: () => void;
}

/** Copies the stock installation; the files share their bytes with it, so none may be written in place. */
export async function installedPackage(release: Release = LATEST): Promise<InstalledPackage> {
  const { stock } = await ensureRelease(release);
  const folder = mkdtempSync(join(tmpdir(), "openclaw-update-"));
  shareTree(dirname(stock), join(folder, "node_modules"));
  const root = join(folder, "node_modules", "openclaw");
  return {
    folder,
    root,
    putBack: (file) => {
      rmSync(join(root, file), { force: true });
      copyFileSync(join(stock, file), join(root, file));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Runs the postinstall script that its package.json names, without a network. Returns what it printed; throws when it
 * fails.
 */
export function postinstall(root: string): string {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const [command, ...args] = (scripts["postinstall"] ?? "").split(" ");
  if (command !== "node")
    throw new Error(
      `expected OpenClaw's postinstall to be a script for node, found: ${scripts["postinstall"] ?? "none"}`,
    );
  const env = { ...userEnvironment(join(root, "..", "..")), npm_config_offline: "true" };
  return execFileSync(process.execPath, args, { cwd: root, env, encoding: "utf8" });
}

/** OpenClaw's comparison of its dist with the list of contents; it gates every update. One text per difference. */
export async function contentErrors(root: string): Promise<readonly string[]> {
  const check = await chunkExport<(packageRoot: string) => Promise<readonly string[]>>(
    root,
    "package-dist-inventory-",
    "collectPackageDistContentInventoryErrors",
  );
  return check(root);
}

/** The files of dist that OpenClaw packs for a cloud node. */
export async function packedFiles(root: string): Promise<readonly string[]> {
  const collect = await chunkExport<(packageRoot: string) => Promise<readonly string[]>>(
    root,
    "package-dist-inventory-",
    "collectPackageDistInventory",
  );
  return collect(root);
}

/** OpenClaw's check that no packed file imports one that is not packed, for the imports of `importers`. */
export async function importErrors(
  root: string,
  importers: readonly string[],
  files: readonly string[],
): Promise<readonly string[]> {
  const module = (await import(pathToFileURL(join(root, "scripts/lib/package-dist-imports.mjs")).href)) as {
    readonly collectPackageDistImports: (of: {
      files: readonly string[];
      readText: (file: string) => string;
    }) => readonly unknown[];
    readonly collectPackageDistImportErrors: (of: {
      files: readonly string[];
      imports: readonly unknown[];
    }) => readonly string[];
  };
  const imports = module.collectPackageDistImports({
    files: importers,
    readText: (file) => readFileSync(join(root, file), "utf8"),
  });
  if (imports.length === 0)
    throw new Error(`expected ${importers.join(", ")} to import other files of dist, found no imports`);
  return module.collectPackageDistImportErrors({ files, imports });
}

/** Every JSON file of the package, without its dependencies. */
export function jsonFiles(root: string): readonly string[] {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  return paths.filter(
    (path) => path.endsWith(".json") && !path.includes("node_modules") && existsSync(join(root, path)),
  );
}

/** A function by its own name, for chunks export under letters. */
async function chunkExport<Check>(root: string, chunk: string, name: string): Promise<Check> {
  const files = readdirSync(join(root, "dist")).filter((file) => file.startsWith(chunk));
  for (const file of files) {
    const exports = Object.values(
      (await import(pathToFileURL(join(root, "dist", file)).href)) as Readonly<Record<string, unknown>>,
    );
    const found = exports.find((value) => typeof value === "function" && value.name === name);
    if (found !== undefined) return found as Check;
  }
  throw new Error(
    `expected a chunk dist/${chunk}* that exports ${name}, found ${files.join(", ") || "no such chunk"}: this OpenClaw checks its package elsewhere`,
  );
}
