/** A known release as if nobody had recorded it, and whether the port finds again what was recorded. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patchFileNames } from "../../../src/patching/patch-file.ts";
import { git } from "./clone.ts";

const RECORDS = ["releases/releases.json", "patches"];
const FACTS = join("src", "patching", "base", "releases.ts");

/** Takes a release out of the records of a clone, and commits that there. `former` is the release before it. */
export function forget(folder: string, release: string, former: string): void {
  const file = join(folder, "releases", "releases.json");
  const { releases } = JSON.parse(readFileSync(file, "utf8")) as { readonly releases: Record<string, unknown> };
  const kept = Object.fromEntries(Object.entries(releases).filter(([name]) => name !== release));
  writeFileSync(file, `${JSON.stringify({ releases: kept }, null, 1)}\n`);
  rmSync(join(folder, "patches", patchFileNames(release).callSites), { force: true });
  if (existsSync(join(folder, "releases", release))) {
    // A base release is pinned, and the code names it: before it came, the one before it was the last.
    rmSync(join(folder, "releases", release), { recursive: true });
    const path = join(folder, FACTS);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(`"${release}"`, `"${former}"`));
  }
  git(folder, "commit", "--quiet", "--no-gpg-sign", "--all", "-m", `Forget ${release}`);
}

/** Whether the records after the port are those of `commit`, byte for byte. */
export function foundAgain(folder: string, commit: string): boolean {
  return git(folder, "diff", "--name-only", commit, "HEAD", "--", ...RECORDS) === "";
}
