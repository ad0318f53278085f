import { expect, test } from "vitest";
import { installedReleases, type InstalledRelease } from "../../harness/openclaw/releases.ts";

/**
 * The installed releases that a file of tests is run on: its own, or others by `OPENCLAW_RELEASES=2026.8.2,2026.9.3`.
 * One that is not installed is a failed test; the folders that the tests made are removed behind them.
 */
export function chosenReleases(own: readonly string[]): InstalledRelease[] {
  const chosen = process.env["OPENCLAW_RELEASES"]?.split(",") ?? own;
  const installed = installedReleases().filter(({ release }) => chosen.includes(release));
  test.each(chosen)("OpenClaw %s is installed", (release) => {
    expect(installed.map((one) => one.release)).toContain(release);
  });
  return installed;
}
