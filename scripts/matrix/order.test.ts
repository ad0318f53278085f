import { expect, test } from "vitest";
import { compareReleases, isStable, patchedReleases } from "./order.ts";

test("a second build comes after the first and a beta before its release, unlike in semver", () => {
  const sorted = [
    "2026.10.1",
    "2026.2.3-1",
    "2026.2.3",
    "2026.9.1-beta.2",
    "2026.9.1",
    "2026.2.22-1",
    "2026.2.22",
  ].toSorted(compareReleases);
  expect(sorted).toEqual([
    "2026.2.3",
    "2026.2.3-1",
    "2026.2.22",
    "2026.2.22-1",
    "2026.9.1-beta.2",
    "2026.9.1",
    "2026.10.1",
  ]);
});

test("betas are no stable releases, second builds are", () => {
  expect(["2026.2.3-1", "2026.9.1-beta.1", "0.0.1", "2026.9.6"].filter(isStable)).toEqual(["2026.2.3-1", "2026.9.6"]);
});

test("patch files are for the last release of each month and the base releases", () => {
  expect(patchedReleases(["2026.1.30", "2026.1.29", "2026.2.3", "2026.2.26", "2026.2.9", "2026.9.6"])).toEqual([
    "2026.1.30",
    "2026.2.3",
    "2026.2.26",
    "2026.9.6",
  ]);
});
