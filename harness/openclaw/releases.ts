import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The releases that every claim of this repository is tested on. */
export const BASE_RELEASES = ["2026.2.3", "2026.9.6"];

/** A stock installation of OpenClaw; `root` contains `node_modules/openclaw`. */
export interface InstalledRelease {
  release: string;
  root: string;
}

/** Where the releases are installed: `<folder>/<release>/stock/node_modules/openclaw`. */
export function releasesFolder(): string {
  return process.env["OPENCLAW_RELEASES_DIR"] ?? fileURLToPath(new URL("../../.releases", import.meta.url));
}

/** The stock installations that are there, by release. */
export function installedReleases(): InstalledRelease[] {
  const folder = releasesFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((release) => ({ release, root: join(folder, release, "stock") }))
    .filter(({ root }) => existsSync(join(root, "node_modules", "openclaw", "package.json")))
    .toSorted((left, right) => left.release.localeCompare(right.release));
}
