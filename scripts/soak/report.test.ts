import { expect, test } from "vitest";
import { soakPage, type SoakRun } from "./report.ts";

function run(release: string, detail: string): SoakRun {
  const worse = [{ kind: "message lost" as const, conversation: "c1", action: 3, detail }];
  return { release, command: "npm run trial soak", seed: "1", tallies: [], worse };
}

test("keeps the run of another release, and replaces that of the same one", () => {
  const first = soakPage("", [run("2026.2.3", "m1: old"), run("2026.9.6", "m2: other")]);
  const second = soakPage(first, [run("2026.2.3", "m1: new")]);
  expect(second).toContain("c1 action 3: message lost: m1: new");
  expect(second).toContain("m2: other");
  expect(second).not.toContain("m1: old");
  expect(soakPage(second, [])).toBe(second);
});
