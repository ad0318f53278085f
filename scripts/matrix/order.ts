/** The order of OpenClaw's releases, and which of them get a patch file. */
import { knownReleases, RELEASES } from "../../src/patching/base/releases.ts";

/**
 * Compares two releases. `2026.2.3-1` is a second build of 2026.2.3 and comes after it, where semver would have
 * it before; betas come before their release.
 */
export function compareReleases(left: string, right: string): number {
  const [one, other] = [rankRelease(left), rankRelease(right)];
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankRelease(release: string): readonly number[] {
  const [base = "", suffix = ""] = release.split(/-(.*)/);
  const beta = /^beta\.(\d+)$/.exec(suffix)?.[1];
  const build = beta === undefined ? Number(suffix === "" ? 0 : Number.parseInt(suffix, 10)) : Number(beta) - 1_000_000;
  return [...base.split(".").map(Number), build];
}

/** Whether a version is a stable release of OpenClaw since it has its name: year, month and a number in it. */
export function isStable(version: string): boolean {
  return /^20(2[6-9]|[3-9]\d)\.([1-9]|1[0-2])\.(0|[1-9]\d{0,2})(-[1-9]\d?)?$/.test(version);
}

/**
 * The base releases and the last stable release of every month, by the number of the month in its name; oldest first.
 */
export function patchedReleases(
  releases: readonly string[] = knownReleases().map(({ release }) => release),
): readonly string[] {
  const sorted = releases.filter(isStable).toSorted(compareReleases);
  const months = Object.values(Object.groupBy(sorted, (release) => release.split(".").slice(0, 2).join(".")));
  const last = months.flatMap((month) => month?.at(-1) ?? []);
  return [...new Set([...RELEASES.map(({ release }) => release), ...last])].toSorted(compareReleases);
}
