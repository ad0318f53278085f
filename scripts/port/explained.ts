/** What the engine finds in the published files of a release. */
import { ensureTarball } from "../../harness/tarballs.ts";
import { explain, type Explanation } from "../../src/patching/explain.ts";
import { knownReleases, type KnownRelease } from "../../src/patching/base/releases.ts";
import { compareReleases } from "../matrix/order.ts";
import { unpackScripts } from "../matrix/unpack.ts";

/** Unpacks the published files of a release into `root`, downloaded if need be, and explains them. */
export async function explained(release: string, root: string, say: (line: string) => void): Promise<Explanation> {
  const { path } = await ensureTarball(release, { say });
  await unpackScripts(path, root);
  return explain(root);
}

/** The last known release before this one; undefined when there is none. */
export function knownBefore(release: string): KnownRelease | undefined {
  return knownReleases().findLast((known) => compareReleases(known.release, release) < 0);
}
