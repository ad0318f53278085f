import { expect, it } from "vitest";
import { playRun } from "./run.ts";

it("random sessions of the library make no invalid request, lose no result, say nothing false, and go on after each kill", async () => {
  const { faults, kills, counts } = await playRun({ sessions: 150, seed: "sample", oneKillIn: 15 });
  expect(faults).toEqual([]);
  expect(kills).toBeGreaterThan(3);
  expect(counts.get("sessions")).toBe(150);
  expect(counts.get("gave")).toBeGreaterThan(100);
});
