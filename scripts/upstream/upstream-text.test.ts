import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PATCH_POINTS } from "../../src/patching/points/index.ts";
import { knownReleases } from "../../src/patching/base/releases.ts";
import { readPullRequest, listSeries } from "./pull-request.ts";
import { upstreamText } from "./upstream-text.ts";

const root = fileURLToPath(new URL("../../upstream", import.meta.url));
const pulls = listSeries(root).map((name) => readPullRequest(root, name));

test("every patch point and every pull request is in UPSTREAM.md, with where it stands and when it can go", () => {
  const text = upstreamText(PATCH_POINTS, knownReleases(), pulls);
  for (const { id } of PATCH_POINTS) expect(text).toContain(`## ${id}\n`);
  for (const { meta } of pulls) expect(text).toContain(`## ${meta.id}: ${meta.subject}\n`);
  const [points, all] = [PATCH_POINTS.length, PATCH_POINTS.length + pulls.length];
  for (const field of ["Description", "Origin", "Bug", "Forwarded", "Releases", "Last-Update", "Drop when"]) {
    expect(text.split(`- **${field}:** `).length - 1).toBe(all);
  }
  expect(text.split("- **Depends on:** ").length - 1).toBe(points);
});

test("UPSTREAM.md is not edited by hand", () => {
  const committed = readFileSync(fileURLToPath(new URL("../../UPSTREAM.md", import.meta.url)), "utf8");
  expect(committed).toBe(upstreamText(PATCH_POINTS, knownReleases(), pulls));
});
