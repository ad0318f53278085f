/** Finds the package of a folder or a file. Reads only. */
import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegular } from "../../base/files/index.ts";

// That of OpenClaw 2026.9.6 has 80 KB.
const MAX_MANIFEST_BYTES = 4 << 20;

/** Name and version of a package, empty where its package.json has none. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** Reads the manifest in `folder`; undefined when there is none or it cannot be read. */
export function manifestIn(folder: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(String(readRegular(join(folder, "package.json"), MAX_MANIFEST_BYTES)));
    if (typeof value !== "object" || value === null) return undefined;
    const { name, version } = value as Record<string, unknown>;
    return { name: textOr(name), version: textOr(version) };
  } catch {
    return undefined;
  }
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whether `folder` is a package named openclaw. */
export function isOpenclaw(folder: string): boolean {
  return manifestIn(folder)?.name === "openclaw";
}

/** The OpenClaw that contains the file or folder after symbolic links are resolved; undefined when there is none. */
export function openclawAround(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    if (isOpenclaw(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Whether `path` is a folder or a symbolic link to one. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
