/** The sample of `npm run matrix` that runs with every test run; the whole is results/matrix.md. */
import { readdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { knownRelease } from "../../src/patching/base/releases.ts";
import { checkRelease } from "./check.ts";

let folder = "";
beforeAll(() => {
  folder = newFolder();
});

test.each(["2026.1.30", "2026.4.29", "2026.8.2"])(
  "%s, of another bundle layout than the base releases, is patched and taken back byte for byte",
  async (release) => {
    const check = await checkRelease(release, folder, console.log);
    expect(check).toMatchObject({ outcome: "applied", faults: [] });
    expect(check.gateRuns).toBeGreaterThan(700);
    // What is recorded is what is found when nobody knows the release.
    expect(check.facts).toEqual(knownRelease(release));
    expect(readdirSync(folder)).toEqual([]);
  },
);

test("a beta that is in no record is patched, because its code fits", async () => {
  const release = "2026.9.1-beta.1";
  expect(knownRelease(release)).toBeUndefined();
  const check = await checkRelease(release, folder, console.log);
  expect(check).toMatchObject({
    outcome: "applied",
    faults: [],
    points: { "attempt-history-gate": { copies: 1, outcome: "fits" }, "session-load": { copies: 1 } },
  });
});

test("an early beta lacks what one point needs: the others are put in, and the report says what is left out and why", async () => {
  const check = await checkRelease("2026.7.2-beta.7", folder, console.log);
  expect(check.outcome).toBe("applied");
  expect(check.points["session-load"]).toMatchObject({
    outcome: "left-out",
    reason: expect.stringContaining("setLoadedSessionTarget"),
  });
  expect(check.points["attempt-history-gate"]).toMatchObject({ copies: 1, outcome: "fits" });
});
