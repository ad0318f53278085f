import { expect, test } from "vitest";
import { makeJobs, sizeJob } from "./jobs.ts";
import { jobsLeft, minutesFor, type State } from "./state.ts";
import { readEnd } from "./until.ts";

const soakNames = (minutes: number): string[] =>
  makeJobs(minutes).flatMap(({ name, part }) => (part === "soak" ? [name] : []));

test("a long run soaks in pieces that are made again when they are killed, the releases in turn", () => {
  expect(soakNames(10)).toEqual(["soak-2026.2.3-1", "soak-2026.9.6-1"]);
  expect(soakNames(300)).toEqual(["soak-2026.2.3-1", "soak-2026.9.6-1", "soak-2026.2.3-2", "soak-2026.9.6-2"]);
});

test("jobs get their shares of what is left, whatever the ones before them took, and all of it in the end", () => {
  const jobs = makeJobs(240);
  const shares = jobs.map((_, at) => minutesFor(jobs.slice(at), 100 * 60_000));
  expect(shares[1]).toBeCloseTo(12);
  expect(shares.at(-1)).toBeCloseTo(100);
  expect(minutesFor(jobs, -1)).toBe(0);
});

test("with little time less of the corpus is run, and the last job is still run behind the end", () => {
  const [, corpus, recovery] = makeJobs(240);
  expect(sizeJob(corpus!, 29, "7").args).toContain("--only");
  expect(sizeJob(corpus!, 30, "7").args).toContain("--all");
  expect(sizeJob(recovery!, 1, "7").args).toContain("--sample");
  const soak = makeJobs(10).at(-1)!;
  expect(sizeJob(soak, 0, "7").args.join(" ")).toContain("--release 2026.9.6 --minutes 1.0");
});

test("a run that was killed goes on with the job that it was killed in", () => {
  const jobs = makeJobs(60);
  const done = jobs.slice(0, 2).map(({ name }) => ({ name, size: "all", minutes: 1 }));
  const state: State = { commit: "a", seed: "7", command: "", beganAt: 0, endsAt: 0, jobs, done };
  expect(jobsLeft(state)).toEqual(jobs.slice(2));
});

test("it ends at a time of today or else of tomorrow", () => {
  const now = new Date(2026, 10, 29, 14, 30);
  expect(readEnd({ until: "20:00" }, now)).toEqual(new Date(2026, 10, 29, 20, 0));
  expect(readEnd({ until: "06:30" }, now)).toEqual(new Date(2026, 10, 30, 6, 30));
  expect(readEnd({ minutes: "90" }, now)).toEqual(new Date(2026, 10, 29, 16, 0));
  expect(() => readEnd({ until: "soon" }, now)).toThrow(/expected --until/);
  expect(() => readEnd({}, now)).toThrow(/neither/);
});
