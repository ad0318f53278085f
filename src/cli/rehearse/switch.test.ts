import { expect, test } from "vitest";
import type { Found } from "../../patching/index.ts";
import { switchFor } from "./switch.ts";

const found: Found = {
  root: "/srv/app/node_modules/openclaw",
  release: "1",
  ways: ["project"],
  places: [],
  shared: false,
};

test("an OpenClaw that is not npm's global one is the operator's to update: another install would be beside it", () => {
  const { command, npm } = switchFor(found, { kind: "registry", name: "latest" }, "2026.9.6");
  // The version that was rehearsed, and not what the tag means by then.
  expect([command, npm]).toEqual(["npm install openclaw@2026.9.6", undefined]);
  expect(switchFor(found, { kind: "tarball", name: "/tmp/my file.tgz" }, "2026.9.6").command).toBe(
    "npm install '/tmp/my file.tgz'",
  );
});
