import { expect, test } from "vitest";
import { compareRuns, type FileResult } from "./compare.ts";

const file = (name: string, tests: Record<string, string>, why?: string): FileResult => ({
  file: name,
  state: Object.values(tests).includes("failed") || why !== undefined ? "failed" : "passed",
  tests: Object.entries(tests).map(([one, state]) => ({ name: one, state, ...(state === "failed" && { why: "no" }) })),
  ...(why !== undefined && { why }),
});

test("a test that passes only without the patch is named, and so is one that only one run has", () => {
  const before = [file("a.test.ts", { one: "passed", two: "passed", three: "failed" })];
  const after = [file("a.test.ts", { one: "passed", two: "failed", four: "passed" })];
  expect(compareRuns(before, after)).toEqual({
    files: 1,
    tests: 4,
    passed: 1,
    skipped: 0,
    failed: [],
    differences: [
      { file: "a.test.ts", test: "two", before: "passed", after: "failed", why: "no" },
      { file: "a.test.ts", test: "three", before: "failed", after: "not run", why: "no" },
      { file: "a.test.ts", test: "four", before: "not run", after: "passed", why: "" },
    ],
  });
});

test("a file that cannot be imported is a difference, although none of its tests ran in either run", () => {
  const { differences } = compareRuns([file("a.test.ts", {})], [file("a.test.ts", {}, "no such module")]);
  expect(differences).toMatchObject([{ test: "(the file)", before: "ran", after: "failed", why: "no such module" }]);
});

test("a file that a second run was needed for counts as it last did; what fails in both is no difference", () => {
  const before = [
    file("a.test.ts", { one: "failed" }),
    file("a.test.ts", { one: "passed" }),
    file("b.test.ts", { x: "failed" }),
  ];
  const after = [file("a.test.ts", { one: "passed" }), file("b.test.ts", { x: "failed", y: "skipped" })];
  const found = compareRuns(before, after);
  expect(found).toMatchObject({ passed: 1, failed: [{ file: "b.test.ts", test: "x", why: "no" }] });
  expect(found.differences).toMatchObject([{ test: "y", before: "not run", after: "skipped" }]);
});

test("two tests with one name are two tests", () => {
  const twice = {
    file: "a.test.ts",
    state: "failed",
    tests: [
      { name: "x", state: "passed" },
      { name: "x", state: "failed" },
    ],
  };
  expect(compareRuns([twice], [twice])).toMatchObject({ tests: 2, passed: 1, failed: [{ test: "x (2)" }] });
});
