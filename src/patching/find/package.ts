/** Which package a folder or a file belongs to. Reads only. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a package.json says of its package. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** The manifest in `folder`; undefined when there is none, or none that can be read. */
export function manifestIn(folder: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (typeof value !== "object" || value === null) return undefined;
    const { name, version } = value as Record<string, unknown>;
    return { name: String(name), version: String(version) };
  } catch {
    return undefined;
  }
}

/** Whether `folder` is a package named openclaw. */
export function isOpenclaw(folder: string): boolean {
  return manifestIn(folder)?.name === "openclaw";
}

/** The OpenClaw that the file or folder lies in once symbolic links are resolved; undefined when it lies in none. */
export function openclawAround(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    if (isOpenclaw(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Whether there is a folder at `path`, itself or at the end of a symbolic link. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
