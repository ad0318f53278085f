import { expect, test } from "vitest";
import { listScenarios } from "./groups.ts";

const ALL = { sample: false, scenarios: [], apis: [] };
const nameScenarios = (scenarios: { id: string; api: string }[]): string[] =>
  scenarios.map(({ id, api }) => `${api} ${id}`);

test("both modes play every measured fault, a kill last", () => {
  for (const mode of ["embedded", "gateway"] as const) {
    const scenarios = listScenarios({ mode }, ALL);
    const ids = nameScenarios(scenarios);
    for (const id of ["1", "1b", "2", "2b", "3", "4", "5", "5b", "end", "6", "7", "8", "9", "10"])
      expect(ids).toContain(`anthropic-messages ${id}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(scenarios.slice(-2).map(({ kill }) => kill)).toEqual([true, true]);
  }
});

test("the sample has a fault of every API and none that is tried again with growing pauses", () => {
  const sample = listScenarios({ mode: "embedded" }, { ...ALL, sample: true });
  expect(new Set(sample.map(({ api }) => api)).size).toBe(5);
  for (const slow of ["2", "2b", "5", "6", "7"]) expect(sample.map(({ id }) => id)).not.toContain(slow);
});

test("plays what is asked for only", () => {
  expect(nameScenarios(listScenarios({ mode: "embedded" }, { ...ALL, scenarios: ["4"] }))).toEqual([
    "anthropic-messages 4",
  ]);
  expect(
    new Set(listScenarios({ mode: "embedded" }, { ...ALL, apis: ["openai-responses"] }).map(({ api }) => api)),
  ).toEqual(new Set(["openai-responses"]));
});
