import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkPullRequest } from "./check.ts";
import { readProofPlan } from "./proof-plan.ts";
import { readPullRequest, listSeries } from "./pull-request.ts";

const SERIES = fileURLToPath(new URL("../../upstream", import.meta.url));

test.each(listSeries(SERIES))("%s is complete and well formed", async (name) => {
  const request = readPullRequest(SERIES, name);
  expect((await checkPullRequest(request, async () => undefined)).failures).toEqual([]);
  expect(request.meta.id).toBe(name.slice(0, 2));
  expect(request.description.startsWith(`# ${request.meta.subject}\n`)).toBe(true);
  const { scenarios, edits } = readProofPlan(join(SERIES, name, "proof.json"), name);
  expect(scenarios.length * edits.length).toBeGreaterThan(0);
});

test("a number that no pull request has is refused with the names there are", () => {
  expect(() => listSeries(SERIES, "99")).toThrow("01-classify-pairing-rejections");
});
