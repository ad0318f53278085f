import { expect, test } from "vitest";
import { findNode, isInRange } from "./node.ts";

const LATE = ">=22.22.3 <23 || >=24.15.0 <25 || >=25.9.0";

test.each([
  ["v22.12.0", ">=22.12.0", true],
  ["v22.11.9", ">=22.12.0", false],
  ["v24.15.0", LATE, true],
  ["v23.5.0", LATE, false],
  ["v24.14.9", LATE, false],
  ["v25.9.1", LATE, true],
  ["v24.16.0", ">=24.16 <25", true],
  ["v20.1.0", undefined, true],
  // A form that no release has: OpenClaw itself checks its Node.
  ["v20.1.0", "^24.0.0", true],
])("Node %s for %s: %s", (version, range, expected) => {
  expect(isInRange(version, range)).toBe(expected);
});

test("a release that no Node here can run gets none, and all that were tried are told", async () => {
  const openclaw = { root: "/nowhere/openclaw", release: "1", entry: "", nodeRange: ">=99.0.0", offersSessions: false };
  const { node, tried } = await findNode(openclaw, { PATH: process.env["PATH"] });
  expect(node).toBeUndefined();
  expect(tried[0]).toEqual({ path: process.execPath, version: process.version });
});
