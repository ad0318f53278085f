import { expect, test } from "vitest";
import { PATCH_POINTS } from "../../patching/points/index.ts";
import { pointLines } from "./show.ts";

test("every patch point is told as what it prevents, each thing once, and none by its id", () => {
  const lines = pointLines({ points: Object.fromEntries(PATCH_POINTS.map(({ id }) => [id, 2])) });
  expect(lines[0]).toBe("  prevented now:");
  expect(new Set(lines).size).toBe(lines.length);
  for (const { id } of PATCH_POINTS) expect(lines.join("\n")).not.toContain(id);
  expect(pointLines({ points: { "session-load": 0 } })).toEqual([]);
});
