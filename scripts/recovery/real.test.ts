import { expect, test } from "vitest";
import { installedReleases } from "../../harness/openclaw/releases.ts";
import { runGroup, listScenarios } from "./groups.ts";
import type { Measurement } from "./measure.ts";
import { survived } from "./report.ts";

const OLDEST = installedReleases().find(({ release }) => release === "2026.2.3");

test("sees the unpatched release of the February incident as it was measured: bricked, half a command run, and well", async () => {
  if (!OLDEST) throw new Error("OpenClaw 2026.2.3 is not installed: run `npm test`, which installs it");
  const scenarios = listScenarios(
    { mode: "embedded" },
    { sample: false, scenarios: ["3", "4", "end", "rule-no-tools"], apis: [] },
  );
  const seen = new Map<string, Measurement>();
  await runGroup({ ...OLDEST, variant: "stock", mode: "embedded", scenarios }, (one) => seen.set(one.id, one));
  const brief = [...seen.values()].map((one) => [one.id, survived(one), one.executed]);
  expect(brief).toEqual([
    ["3", true, "not executed"],
    ["4", false, "not executed"],
    ["end", true, "half executed"],
    ["rule-no-tools", false, "not executed"],
  ]);
  // What was seen is what OpenClaw said, not what we say of it.
  expect(seen.get("3")?.shown.text).toContain("content filtering policy");
  expect(seen.get("4")?.next.map(({ text }) => text.includes("tool_use_id"))).toEqual([true, true, true]);
});
