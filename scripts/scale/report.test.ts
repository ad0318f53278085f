/** A page that says that a cost is flat while it grows, or that leaves out a figure that its arithmetic needs. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { formatReport, isFlat, readKernelRates } from "./report.ts";

const point = (size: number, microseconds: number) => ({
  size,
  units: size,
  microseconds,
  memory: 100,
  disk: size * 900,
});
const kernel = readKernelRates(readFileSync(new URL("../../results/bench-continuity.md", import.meta.url), "utf8"));

test("a unit is flat up to three times what it costs at a thousand, whatever the cold sizes cost", () => {
  expect(isFlat({ name: "a", points: [point(10, 90), point(1000, 1), point(10_000, 3)] })).toBe(true);
  expect(isFlat({ name: "a", points: [point(1000, 1), point(10_000, 1), point(100_000, 3.1)] })).toBe(false);
  // A run that was only of small sizes says nothing.
  expect(isFlat({ name: "a", points: [point(10, 1), point(100, 90)] })).toBe(true);
});

test("the page tells the steep ones and computes with the largest measured size", () => {
  const points = [point(1000, 1), point(10_000, 4)];
  const page = formatReport("npm run trial scale", [{ name: "kernel: an event", points }], kernel);
  expect(page).toContain("these cost more than three times as much: kernel: an event");
  expect(page).toContain("900 bytes an event");
  expect(page).toContain("line [1.00, 4.00]");
  expect(page).toContain("10,000 × 1 × 2 / 60 = 333 a second");
});

test("figures that are not where they are expected are an error", () => {
  expect(kernel.stepsOfDbos).toBeGreaterThan(kernel.steps);
  expect(() => readKernelRates("| 1 | 2 |")).toThrow("expected results/bench-continuity.md to have");
});
