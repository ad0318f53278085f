import { expect, test } from "vitest";
import { loadCorpus } from "../../../harness/corpus/case.ts";
import { ORPHAN, sampleJobs } from "./sample.ts";

test("the sample leaves out no class that concerns the API, and none of its cases is there twice", () => {
  const concerned = loadCorpus().filter(({ apis }) => apis.includes("anthropic-messages"));
  const ids = sampleJobs(true).map(({ id }) => id);
  expect(new Set(ids.map((id) => id.charAt(0)))).toEqual(new Set(concerned.map(({ id }) => id.charAt(0))));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain(ORPHAN);
  expect(ids.length).toBeGreaterThanOrEqual(20);
});

test("without the sample the orphan is still judged", () => {
  expect(sampleJobs(false).map(({ id, api }) => [id, api])).toEqual([[ORPHAN, "anthropic-messages"]]);
});
