import { expect, test } from "vitest";
import { RELEASES } from "../../src/patching/base/releases.ts";
import { loadCorpus } from "../../harness/corpus/case.ts";
import { ALL_APIS } from "./apis.ts";
import { caseClass } from "./classes.ts";
import { HEADLINES, tourJobs, findWords } from "./selection.ts";

const corpus = loadCorpus();

test.each(RELEASES)("the tour of $release has one case of each class, the headline first", ({ release }) => {
  const jobs = tourJobs(corpus, release, ALL_APIS);
  const classes = new Set(corpus.map(({ id }) => caseClass(id)));
  expect(jobs.map(({ id }) => caseClass(id)).toSorted()).toEqual([...classes].toSorted());
  expect(jobs[0]!.id).toBe(HEADLINES[release].id);
});

test("each case of the tour concerns the API that it runs on, and has words of its own", () => {
  const jobs = tourJobs(corpus, "2026.9.6", ALL_APIS);
  const strange = jobs.filter(({ id, api }) => !corpus.find((one) => one.id === id)!.apis.includes(api));
  expect(strange.map(({ id }) => id)).toEqual([]);
  expect(new Set(jobs.map(({ id }) => findWords(id))).size).toBe(jobs.length);
});

test("leaves out what an installation has no adapter for", () => {
  expect(tourJobs(corpus, "2026.9.6", ["openai-responses"]).every(({ api }) => api === "openai-responses")).toBe(true);
});
